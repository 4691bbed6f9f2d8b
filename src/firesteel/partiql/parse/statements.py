"""Statements, and texts of several."""

from __future__ import annotations

from firesteel.errors import ParseError
from firesteel.partiql.ast import CreateView, Ddl, Dml, Exec, Explain, Name, QueryStatement, Statement
from firesteel.partiql.parse.keywords import NAMES, WORDS
from firesteel.partiql.parse.queries import Queries
from firesteel.partiql.parse.sources import unwrapped

#: The opening words of what is only recognised, if a name follows them: two names in a row start no expression.
_DML = frozenset({"INSERT", "UPDATE", "DELETE", "UPSERT", "REPLACE", "REMOVE", "SET", "FROM", "MERGE", "TRUNCATE"})
_DDL = frozenset(
    {"CREATE", "DROP", "ALTER", "GRANT", "REVOKE", "BEGIN", "START", "COMMIT", "ROLLBACK", "DECLARE", "USE", "SHOW"}
)
#: The words that belong to the name of such a statement: INSERT INTO, DROP TABLE.
_SECOND = frozenset({"INTO", "FROM", "TABLE", "INDEX", "VIEW", "SCHEMA", "DATABASE", "TRANSACTION", "FUNCTION", "WORK"})

_AFTER = NAMES | {"INTO"}
_AFTER_RESERVED = WORDS | {"quoted", "@"}


class Statements(Queries):
    """The top layer."""

    def one(self) -> Statement:
        """The one statement of the text, with or without a semicolon."""
        made = self.statement()
        ended = False
        while self.accept(";"):
            ended = True
        if self.kinds[self.at] != "end":
            self.expected("the end of the query", help="there is more than one statement" if ended else None)
        return made

    def several(self) -> tuple[Statement, ...]:
        """The statements of the text; after an error the next one is read all the same."""
        made: list[Statement] = []
        while self.kinds[self.at] != "end":
            if self.accept(";"):
                continue
            try:
                made.append(self.statement())
                if self.kinds[self.at] not in (";", "end"):
                    self.expected("';' or the end of the text")
            except ParseError as error:
                self.note(error)
                self.depth = 0
                while self.kinds[self.at] not in (";", "end"):
                    self.at += 1
        return tuple(made)

    def statement(self) -> Statement:
        first = self.at
        explains: list[tuple[int, tuple[tuple[str, str], ...]]] = []
        while self.kinds[self.at] == "EXPLAIN":
            begin = self.at
            self.at += 1
            explains.append((begin, self._explain_options()))
        made = self._statement()
        for begin, options in reversed(explains):
            made = Explain(made, options=options, where=self.span(begin))
        if not explains and self.at == first:
            self.expected("a statement")
        return made

    def _explain_options(self) -> tuple[tuple[str, str], ...]:
        kinds, at = self.kinds, self.at
        if not (kinds[at] == "(" and kinds[at + 1] in WORDS and kinds[at + 2] in NAMES and kinds[at + 3] in (",", ")")):
            return ()
        options: list[tuple[str, str]] = []
        while not options or self.accept(","):
            if not options:
                self.expect("(")
            option = self.texts[self.at]
            self.at += 1
            options.append((option, self.name("the value of an option").text))
        self.expect(")")
        return tuple(options)

    def _statement(self) -> Statement:
        first = self.at
        kind = self.kinds[first]
        if kind == "EXEC":
            return self._exec(first)
        if kind in WORDS:
            word = self.texts[first].upper()
            if word == "CREATE" and self._is_view():
                return self._create_view(first)
            if (word in _DML or word in _DDL) and self.kinds[first + 1] in (
                _AFTER_RESERVED if kind == word else _AFTER
            ):
                return self._recognised(first, word)
        if kind == "end":
            self.expected("a query")
        query = self.query()
        return QueryStatement(unwrapped(query), where=self.span(first))

    def _exec(self, first: int) -> Exec:
        self.at += 1
        name = self.expression()
        args = []
        if self.kinds[self.at] not in (";", "end"):
            args.append(self.element())
            while self.accept(","):
                args.append(self.element())
        return Exec(name, tuple(args), where=self.span(first))

    # -----------------------------------------------------------------------------------------------------------------
    # CREATE VIEW

    def _is_view(self) -> bool:
        if self.kinds[self.at + 1] == "OR" and self.kinds[self.at + 2] == "REPLACE":
            return self.kinds[self.at + 3] == "VIEW"
        return self.kinds[self.at + 1] == "VIEW"

    def _create_view(self, first: int) -> CreateView:
        self.at += 1
        or_replace = self.accept("OR")
        self.at += 2 if or_replace else 1
        name: list[Name] = []
        while not name or self.accept("."):
            name.append(self.name("the name of a view"))
        columns = self.names() if self.kinds[self.at] == "(" else ()
        self.expect("AS")
        query = unwrapped(self.query())
        return CreateView(tuple(name), query, columns=columns, or_replace=or_replace, where=self.span(first))

    # -----------------------------------------------------------------------------------------------------------------
    # What is only recognised

    def _recognised(self, first: int, word: str) -> Statement:
        second = self.texts[first + 1].upper()
        verb = f"{word} {second}" if second in _SECOND else word
        while self.kinds[self.at] not in (";", "end"):
            self.at += 1
        made = Dml if word in _DML else Ddl
        return made(verb, where=self.span(first))
