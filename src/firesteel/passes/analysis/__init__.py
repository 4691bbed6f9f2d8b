"""Questions that passes ask about a plan and its expressions. No module here is a pass.

columns      what an expression reads of its row
conditions   what a conjunction joins
equality     what cannot tell equal values apart
failing      what may raise an error, and so is not asked of other rows
navigate     paths into constructors
paths        which parts of its tables a plan touches; `shapes` is what that is
node_memo    what follows from a node, kept with it
"""
