"""Random expressions of a wanted type, over the variables in scope.

A type is one of: int float bool str ints floats strs pair dict set complex. `ints` is a list of int, `pair` a tuple
(int, str), `dict` maps str to int, `set` holds int. Sets are only ever shown sorted, because their order is not promised.
"""

import random

TYPES = ("int", "float", "bool", "str", "ints", "floats", "strs", "pair", "dict", "set", "complex")

WORDS = ("apple", "Pear", "fig", "plum tree", "x", "", "QUINCE", "date-palm", "a b  c", "3 kiwis", "naïve", "β-carotene",
         "tab\\there", "it's", 'say \\"hi\\"', "end\\n", "日本", "CamelCase", "snake_case", "  padded ", "0042", "-7", "1e3")

FLOATS = ("0.5", "1.25", "-2.75", "3.0", "1e3", "2.5e-3", "0.1", "1e16", "123456.789", "-0.0", "1e-7", "7.", ".25", "1_000.5",
          "99.995", "2.675", "1e22", "33.333333333333336", "-1.5")

INTS = ("0", "1", "2", "3", "5", "7", "10", "12", "-1", "-3", "-8", "17", "42", "99", "100", "255", "0x1f", "0b1011", "0o17",
        "1_000", "12345", "-250")


class Expressions:
    def __init__(self, rng: random.Random):
        self.rng = rng
        self.scope = {t: [] for t in TYPES}

    # Scope

    def declare(self, kind, name):
        for names in self.scope.values():
            if name in names:
                names.remove(name)
        self.scope[kind].append(name)

    def save(self):
        return {t: list(names) for t, names in self.scope.items()}

    def restore(self, saved):
        self.scope = saved

    # Choice

    def pick(self, *options):
        return self.rng.choice(options)

    def chance(self, p):
        return self.rng.random() < p

    def make(self, kind, depth=2):
        """Source text of an expression of this kind; parenthesised where it has operators."""
        names = self.scope[kind]
        if names and self.chance(0.35 if depth > 0 else 0.75):
            return self.rng.choice(names)
        if depth <= 0:
            return self.literal(kind)
        return getattr(self, "make_" + kind)(depth - 1)

    def literal(self, kind):
        r = self.rng
        if kind == "int":
            return r.choice(INTS)
        if kind == "float":
            return r.choice(FLOATS)
        if kind == "bool":
            return r.choice(("True", "False"))
        if kind == "str":
            return self.string()
        if kind == "ints":
            return "[" + ", ".join(r.choice(INTS) for _ in range(r.randint(1, 6))) + "]"
        if kind == "floats":
            return "[" + ", ".join(r.choice(FLOATS) for _ in range(r.randint(1, 4))) + "]"
        if kind == "strs":
            return "[" + ", ".join(self.string() for _ in range(r.randint(1, 4))) + "]"
        if kind == "pair":
            return f"({r.choice(INTS)}, {self.string()})"
        if kind == "dict":
            return "{" + ", ".join(f"{self.string()}: {r.choice(INTS)}" for _ in range(r.randint(0, 4))) + "}"
        if kind == "set":
            return "{" + ", ".join(r.choice(INTS) for _ in range(r.randint(1, 5))) + "}"
        return r.choice(("1j", "(2 + 3j)", "(-1.5 - 0.5j)", "complex(3, -4)", "0j", "(1e3 + 2.5e-3j)"))

    def string(self):
        word = self.rng.choice(WORDS)
        quote = self.rng.choice("\"'")
        if quote in word.replace('\\"', "") or "\\" in word:
            quote = '"' if "'" in word else quote
        if quote == "'" and '\\"' in word:
            quote = '"'
        prefix = "r" if "\\" not in word and self.chance(0.05) else ""
        return prefix + quote + word + quote

    # Kinds

    def make_int(self, d):
        e, r = self.make, self.rng
        choice = r.randrange(34)
        if choice < 6:
            return f"({e('int', d)} {self.pick('+', '-', '*')} {e('int', d)})"
        if choice < 9:
            return f"({e('int', d)} {self.pick('//', '%')} {e('int', d)})"
        if choice == 9:
            return f"({e('int', d)} {self.pick('&', '|', '^')} {e('int', d)})"
        if choice == 10:
            return f"({e('int', d)} {self.pick('<<', '>>')} {r.randint(0, 9)})"
        if choice == 11:
            return f"({self.pick('-', '~', '+')}{e('int', d)})"
        if choice == 12:
            return f"(({e('int', d)}) ** {r.randint(0, 4)})"
        if choice == 13:
            return f"len({e(self.pick('str', 'ints', 'strs', 'dict', 'set'), d)})"
        if choice == 14:
            return f"int({e('float', d)})"
        if choice == 15:
            return f"int({e('str', 0)})" if self.chance(0.3) else f"int({str(r.randint(-99, 999))!r})"
        if choice == 16:
            return f"round({e('float', d)})"
        if choice == 17:
            return f"{self.pick('min', 'max')}({e('int', d)}, {e('int', d)}, {e('int', 0)})"
        if choice == 18:
            return f"{self.pick('sum', 'max', 'min', 'len')}({e('ints', d)})"
        if choice == 19:
            return f"{e('ints', d)}[{self.pick('0', '-1', '1', str(r.randint(-4, 4)))}]"
        if choice == 20:
            return f"{e('str', d)}.{self.pick('count', 'find', 'rfind')}({self.pick(chr(39) + 'a' + chr(39), repr('e'), repr(' '), e('str', 0))})"
        if choice == 21:
            return f"({e('int', d)} if {e('bool', d)} else {e('int', d)})"
        if choice == 22:
            return f"divmod({e('int', d)}, {e('int', 0)})[{r.randint(0, 1)}]"
        if choice == 23:
            return f"{e('dict', d)}.get({e('str', 0)}, {e('int', 0)})"
        if choice == 24:
            return f"ord({e('str', d)}[0])" if self.chance(0.5) else f"ord({self.pick(*map(repr, 'aZ é~'))})"
        if choice == 25:
            return f"abs({e('int', d)})"
        if choice == 26:
            return f"sum({self.generator_of_ints(d)})"
        if choice == 27:
            return f"{e('ints', d)}.{self.pick('index', 'count')}({e('int', 0)})"
        if choice == 28:
            return f"(lambda a, b={e('int', 0)}: a {self.pick('+', '-', '*')} b)({e('int', d)})"
        if choice == 29:
            return f"({e('bool', d)} + {e('bool', d)})"
        if choice == 30:
            return f"({e('int', d)}).bit_length()"
        if choice == 31:
            return f"pow({e('int', d)}, {r.randint(0, 5)}, {r.randint(2, 50)})"
        if choice == 32:
            return f"int({r.choice(('ff', '1010', '77', 'z', '0x1A', ' 12 '))!r}, {r.choice((16, 2, 8, 36, 10, 0))})"
        return f"{e('pair', d)}[0]"

    def generator_of_ints(self, d):
        r = self.rng
        source = self.pick(f"range({r.randint(0, 12)})", self.make("ints", d), f"range({r.randint(-3, 3)}, {r.randint(4, 20)}, {r.randint(1, 4)})",
                           f"range({r.randint(5, 15)}, 0, -{r.randint(1, 3)})")
        body = self.pick("i", "i * i", "i % 3", "-i", f"i + {self.make('int', 0)}", f"i // {r.randint(2, 5)}", "i ^ 5")
        test = self.pick("", "", f" if i % {r.randint(2, 4)}", f" if i > {self.make('int', 0)}", " if not i & 1")
        return f"{body} for i in {source}{test}"

    def make_float(self, d):
        e, r = self.make, self.rng
        choice = r.randrange(20)
        if choice < 5:
            return f"({e('float', d)} {self.pick('+', '-', '*', '/')} {e(self.pick('float', 'int'), d)})"
        if choice < 7:
            return f"({e('int', d)} / {e('int', d)})"
        if choice == 7:
            return f"({e('float', d)} {self.pick('//', '%')} {e(self.pick('float', 'int'), d)})"
        if choice == 8:
            return f"round({e('float', d)}, {r.randint(-2, 4)})"
        if choice == 9:
            return f"abs({e('float', d)})"
        if choice == 10:
            return f"{self.pick('min', 'max')}({e('float', d)}, {e('float', d)})"
        if choice == 11:
            return f"float({e('int', d)})"
        if choice == 12:
            return f"float({self.pick(*map(repr, ('1.5', '-2e-3', ' 7 ', 'inf', 'nan', '-Infinity', '1_0.5', '.5', 'abc', '')))})"
        if choice == 13:
            return f"({e('float', d)} if {e('bool', d)} else {e('float', d)})"
        if choice == 14:
            return f"(-{e('float', d)})"
        if choice == 15:
            return f"({e('float', d)} ** {self.pick('2', '3', '-1', '0', '0.5')})"
        if choice == 16:
            return f"sum({e('floats', d)})"
        if choice == 17:
            return f"{e('floats', d)}[{r.randint(-2, 1)}]"
        if choice == 18:
            return f"math.{self.pick('sqrt', 'fabs')}({e('float', d)})"
        return f"({e('complex', d)}).{self.pick('real', 'imag')}"

    def make_bool(self, d):
        e, r = self.make, self.rng
        choice = r.randrange(17)
        compare = self.pick("<", "<=", ">", ">=", "==", "!=")
        if choice < 3:
            return f"({e('int', d)} {compare} {e(self.pick('int', 'float'), d)})"
        if choice == 3:
            return f"({e('int', 0)} {self.pick('<', '<=')} {e('int', d)} {self.pick('<', '<=', '!=')} {e('int', 0)})"
        if choice == 4:
            return f"({e('str', d)} {compare} {e('str', d)})"
        if choice == 5:
            return f"({e('bool', d)} {self.pick('and', 'or')} {e('bool', d)})"
        if choice == 6:
            return f"(not {e(self.pick('bool', 'int', 'str', 'ints'), d)})"
        if choice == 7:
            return f"({e('int', 0)} {self.pick('in', 'not in')} {e(self.pick('ints', 'set'), d)})"
        if choice == 8:
            return f"({e('str', 0)} {self.pick('in', 'not in')} {e(self.pick('str', 'dict', 'strs'), d)})"
        if choice == 9:
            return f"{self.pick('any', 'all')}({self.generator_of_ints(d)})"
        if choice == 10:
            types = self.pick("int", "str", "(int, float)", "list", "bool", "(str, tuple, dict)", "complex")
            return f"isinstance({e(r.choice(TYPES), d)}, {types})"
        if choice == 11:
            method = self.pick("isdigit", "isalpha", "isalnum", "isspace", "isupper", "islower", "istitle", "isidentifier")
            return f"{e('str', d)}.{method}()"
        if choice == 12:
            return f"{e('str', d)}.{self.pick('startswith', 'endswith')}({self.pick(repr('a'), repr(''), repr(('s', 'e', 'x')), e('str', 0))})"
        if choice == 13:
            return f"bool({e(r.choice(TYPES), d)})"
        if choice == 14:
            return f"({e('ints', d)} {self.pick('<', '==', '!=', '>=')} {e('ints', d)})"
        if choice == 15:
            return f"({e('set', d)} {self.pick('<=', '<', '==', '>')} {e('set', d)})"
        return f"({e('pair', d)} {self.pick('<', '==', '>')} {e('pair', d)})"

    def make_str(self, d):
        e, r = self.make, self.rng
        choice = r.randrange(31)
        if choice < 2:
            return f"({e('str', d)} + {e('str', d)})"
        if choice == 2:
            return f"({e('str', d)} * {r.randint(-1, 3)})"
        if choice < 6:
            return f"{e('str', d)}[{self.slice(d)}]"
        if choice < 9:
            method = self.pick("upper", "lower", "title", "capitalize", "swapcase", "strip", "lstrip", "rstrip", "casefold", "expandtabs")
            return f"{e('str', d)}.{method}()"
        if choice == 9:
            return f"{e('str', d)}.{self.pick('strip', 'lstrip', 'rstrip')}({self.pick(repr('a'), repr('aeiou'), repr(' x'), e('str', 0))})"
        if choice == 10:
            count = self.pick("", "", f", {r.randint(-1, 2)}")
            return f"{e('str', d)}.replace({self.pick(repr('a'), repr('e'), repr(''), repr(' '))}, {e('str', 0)}{count})"
        if choice < 13:
            fill = self.pick("", "", ", '*'", ", 'é'")
            return f"{e('str', d)}.{self.pick('center', 'ljust', 'rjust')}({r.randint(0, 14)}{fill})"
        if choice == 13:
            return f"{e('str', d)}.zfill({r.randint(0, 9)})"
        if choice == 14:
            return f"{self.string()}.join({e('strs', d)})"
        if choice == 15:
            return f"{self.string()}.join(str(i) for i in {e('ints', d)})"
        if choice == 16:
            return f"str({e(self.shown(), d)})"
        if choice == 17:
            return f"repr({e(self.shown(), d)})"
        if choice < 22:
            return self.fstring(d)
        if choice == 22:
            return f"{self.pick('hex', 'bin', 'oct')}({e('int', d)})"
        if choice == 23:
            return f"chr({r.choice((65, 97, 233, 955, 128512, 48))})"
        if choice == 24:
            return f"({e('str', d)} if {e('bool', d)} else {e('str', d)})"
        if choice == 25:
            return f"{e('strs', d)}[{r.randint(-2, 2)}]"
        if choice == 26:
            return f"{e('str', d)}.{self.pick('partition', 'rpartition')}({self.pick(repr(' '), repr('a'), repr('-'))})[{r.randint(0, 2)}]"
        if choice == 27:
            kind = self.pick("int", "float", "str")
            return f"format({e(kind, d)}, {self.spec(kind)!r})"
        if choice == 28:
            return f"{e('str', d)}.{self.pick('removeprefix', 'removesuffix')}({self.pick(repr('a'), repr('e'), e('str', 0))})"
        if choice == 29:
            return self.format_call(d)
        return f"({e('str', d)} or {e('str', d)})"

    def shown(self):
        """A kind whose text is the same everywhere."""
        return self.pick("int", "float", "bool", "str", "ints", "floats", "strs", "pair", "dict", "complex")

    def slice(self, d):
        r = self.rng
        part = lambda: self.pick("", "", str(r.randint(-5, 8)), str(r.randint(0, 3)))
        if self.chance(0.4):
            return f"{part()}:{part()}:{r.choice((-3, -2, -1, -1, 1, 2, 3))}"
        return f"{part()}:{part()}"

    def spec(self, kind):
        r = self.rng
        if kind == "str":
            return self.pick("", ">10", "<8", "^9", "*^12", ".3", "-<7.2", "s", "=^5s")
        if kind == "int":
            return self.pick("", "d", "5", "<6", "^7", ">+8", "+", " d", "03d", "08b", "x", "#x", "#010x", "X", "o", "#b", ",", "_",
                             "_x", "e", ".2f", "%", "*>9,", "+,d", "c" if self.chance(0.3) else "n", "=+7", "0=6")
        if kind == "float":
            return self.pick("", ".0f", ".1f", ".2f", ".3f", "8.2f", "<9.1f", "^+10.3f", "+.2e", ".3g", "g", "e", ",.2f", "_.1f", "%", ".1%",
                             "010.3f", " .2f", "#.0f", "G", ".10g", "E", "*=+12.4f", ",", "_", "n", "#.3g", ".0e", f"{r.randint(1, 12)}.{r.randint(0, 5)}f")
        return ""

    def fstring(self, d):
        r = self.rng
        parts = []
        for _ in range(r.randint(1, 3)):
            kind = self.pick("int", "float", "str", "int", "float", self.shown())
            inner = self.make(kind, d if self.chance(0.4) else 0)
            # Python 3.11 allows neither the string's own quote nor a backslash inside the braces.
            if '"' in inner or "\\" in inner or inner.startswith("{"):
                inner = self.scope[kind][0] if self.scope[kind] else {"int": "3", "float": "2.5", "str": "'w'"}.get(kind, "None")
            if inner == "None":
                kind = ""
            conversion = self.pick("", "", "", "!r", "!s", "!a") if kind not in ("int", "float") or self.chance(0.15) else ""
            spec = self.spec("str" if conversion else kind)
            if kind in ("int", "float") and not conversion and self.chance(0.08):
                spec = "{" + str(r.randint(1, 12)) + "}"
                spec += ".{" + str(r.randint(0, 4)) + "}f"
            equals = "=" if self.chance(0.06) else ""
            parts.append(self.pick("", "", " ", "v: ", "{{", "|") + "{" + inner + equals + conversion + (":" + spec if spec else "") + "}"
                         + self.pick("", "", "}}", "%", ";"))
        text = "".join(parts)
        return 'f"' + text + '"'

    def format_call(self, d):
        r = self.rng
        which = r.randrange(5)
        if which == 0:
            return f"'{{}}-{{:>5}}'.format({self.make('int', d)}, {self.make('str', 0)})"
        if which == 1:
            return f"'{{1}} {{0}} {{1!r:>6}}'.format({self.make('str', d)}, {self.make('str', 0)})"
        if which == 2:
            return f"'{{n:{self.spec('int')}}}|{{x:{self.spec('float')}}}'.format(n={self.make('int', d)}, x={self.make('float', 0)})"
        if which == 3:
            return f"'{{0[1]}}/{{0[0]}}'.format({self.make('ints', d)})"
        kinds = self.pick("d", "5d", "-5d", "05d", "+d", "x", "o"), self.pick("f", ".2f", "8.3f", "e", "g", "-9.1f"), self.pick("s", "r", "6s", "-6s", ".2s")
        return f"('%{kinds[0]} %{kinds[1]} %{kinds[2]} %%' % ({self.make('int', d)}, {self.make('float', 0)}, {self.make('str', 0)}))"

    def make_ints(self, d):
        e, r = self.make, self.rng
        choice = r.randrange(19)
        if choice < 3:
            return f"[{self.generator_of_ints(d)}]"
        if choice == 3:
            return f"({e('ints', d)} + {e('ints', d)})"
        if choice == 4:
            return f"({e('ints', d)} * {r.randint(0, 2)})"
        if choice < 8:
            return f"{e('ints', d)}[{self.slice(d)}]"
        if choice == 8:
            key = self.pick("", "", ", reverse=True", ", key=abs", ", key=lambda v: (v % 3, v)", ", key=lambda v: -v", ", key=str")
            return f"sorted({e(self.pick('ints', 'set'), d)}{key})"
        if choice == 9:
            return f"list({self.pick('reversed', 'list', 'tuple')}({e('ints', d)}))"
        if choice == 10:
            return f"list(map({self.pick('abs', 'lambda v: v * 2', 'int', 'lambda v: v - 1')}, {e('ints', d)}))"
        if choice == 11:
            return f"list(filter({self.pick('None', 'lambda v: v > 2', 'lambda v: v % 2')}, {e('ints', d)}))"
        if choice == 12:
            return f"list({e('dict', d)}.values())"
        if choice == 13:
            return f"[len(w) for w in {e('strs', d)}]"
        if choice == 14:
            return f"[a * b for a, b in zip({e('ints', d)}, {e('ints', d)})]"
        if choice == 15:
            return f"[i * v for i, v in enumerate({e('ints', d)}{self.pick('', ', 1', ', start=-2')})]"
        if choice == 16:
            return f"[*{e('ints', d)}, {e('int', d)}, *range({r.randint(0, 4)})]"
        if choice == 17:
            return f"[x {self.pick('+', '*', '-')} y for x in range({r.randint(1, 4)}) for y in range({self.pick('x', '3', 'x + 1')})]"
        return f"[ord(c) for c in {e('str', d)}]"

    def make_floats(self, d):
        e = self.make
        choice = self.rng.randrange(6)
        if choice == 0:
            return f"[v / {self.pick('2', '3', '8', '10')} for v in {e('ints', d)}]"
        if choice == 1:
            return f"[round(v, {self.pick('1', '2', '0')}) for v in {e('floats', d)}]"
        if choice == 2:
            return f"sorted({e('floats', d)})"
        if choice == 3:
            return f"({e('floats', d)} + [{e('float', d)}])"
        if choice == 4:
            return f"[float(v) for v in {e('ints', d)}]"
        return f"{e('floats', d)}[{self.slice(d)}]"

    def make_strs(self, d):
        e, r = self.make, self.rng
        choice = r.randrange(12)
        if choice < 2:
            return f"{e('str', d)}.{self.pick('split', 'rsplit')}({self.pick('', '', repr(' '), repr('a'), 'None, 1', repr('-') + ', 1', repr('e'))})"
        if choice == 2:
            return f"list({e('str', d)})"
        if choice == 3:
            return f"[w.{self.pick('upper', 'strip', 'title')}() for w in {e('strs', d)}]"
        if choice == 4:
            return f"sorted({e(self.pick('strs', 'dict'), d)}{self.pick('', ', key=len', ', reverse=True', ', key=str.lower')})"
        if choice == 5:
            return f"list({e('dict', d)})"
        if choice == 6:
            return f"[c for c in {e('str', d)} if c {self.pick('in', 'not in')} 'aeiou']"
        if choice == 7:
            return f"({e('strs', d)} + {e('strs', d)})"
        if choice == 8:
            return f"{e('strs', d)}[{self.slice(d)}]"
        if choice == 9:
            return f"[f'{{i}}:{{w}}' for i, w in enumerate({e('strs', d)})]"
        if choice == 10:
            return f"list(map({self.pick('str', 'repr', 'hex', 'bin')}, {e('ints', d)}))"
        return f"{e('str', d)}.splitlines({self.pick('', 'True')})"

    def make_pair(self, d):
        e = self.make
        return self.pick(f"({e('int', d)}, {e('str', d)})", f"({e('int', d)},) + ({e('str', d)},)", f"{self.pick('min', 'max')}([{e('pair', d)}, {e('pair', d)}])")

    def make_dict(self, d):
        e, r = self.make, self.rng
        choice = r.randrange(8)
        if choice == 0:
            return f"{{w: len(w) for w in {e('strs', d)}}}"
        if choice == 1:
            return f"dict(zip({e('strs', d)}, {e('ints', d)}))"
        if choice == 2:
            return f"{{**{e('dict', d)}, {e('str', d)}: {e('int', d)}}}"
        if choice == 3:
            return f"dict(a={e('int', d)}, b={e('int', d)})"
        if choice == 4:
            return f"({e('dict', d)} | {e('dict', d)})"
        if choice == 5:
            return f"dict(sorted({e('dict', d)}.items(){self.pick('', ', key=lambda p: p[1]', ', reverse=True')}))"
        if choice == 6:
            return f"{{c: {e('str', d)}.count(c) for c in {e('str', d)}}}"
        return f"dict.fromkeys({e('strs', d)}, {e('int', 0)})"

    def make_set(self, d):
        e = self.make
        choice = self.rng.randrange(5)
        if choice == 0:
            return f"set({e('ints', d)})"
        if choice == 1:
            return f"({e('set', d)} {self.pick('|', '&', '-', '^')} {e('set', d)})"
        if choice == 2:
            return f"{{{self.generator_of_ints(d)}}}"
        if choice == 3:
            return f"{e('set', d)}.{self.pick('union', 'intersection', 'difference', 'symmetric_difference')}({e('ints', d)})"
        return f"set(range({self.rng.randint(0, 9)}))"

    def make_complex(self, d):
        e = self.make
        choice = self.rng.randrange(5)
        if choice < 2:
            return f"({e('complex', d)} {self.pick('+', '-', '*', '/')} {e(self.pick('complex', 'float', 'int'), d)})"
        if choice == 2:
            return f"({e('complex', d)}).conjugate()"
        if choice == 3:
            return f"(-{e('complex', d)})"
        return f"complex({e('int', d)}, {e('int', d)})"
