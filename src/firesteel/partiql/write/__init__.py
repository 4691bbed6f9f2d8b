from firesteel.partiql.write.printing import print_doc
from firesteel.partiql.write.layout import render
from firesteel.partiql.write import print_expressions, print_queries

def print_syntax(n): return render(print_doc(n))
