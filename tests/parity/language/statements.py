"""Random blocks of statements. A block is a list of lines; nothing here prints what a Python of another day would print otherwise."""

from expressions import TYPES, Expressions

NAMES = ("a", "b", "c", "count", "data", "item", "left", "limit", "lo", "n", "name", "note", "other", "part", "q", "rest", "right",
         "seen", "step", "text", "total", "value", "w", "x1", "y_2", "z")

ERRORS = ("ValueError", "TypeError", "KeyError", "IndexError", "ZeroDivisionError", "RuntimeError", "LookupError", "ArithmeticError",
          "Exception", "(ValueError, TypeError)", "(KeyError, IndexError, ZeroDivisionError)")


def indent(lines):
    return ["    " + line for line in lines]


class Statements(Expressions):
    def __init__(self, rng):
        super().__init__(rng)
        self.used = 0
        self.loop_depth = 0
        self.in_function = False
        self.budget = 30

    def fresh(self):
        self.used += 1
        name = self.rng.choice(NAMES)
        taken = {n for names in self.scope.values() for n in names}
        return name if name not in taken else f"{name}{self.used}"

    def block(self, size, depth):
        lines = []
        for _ in range(size):
            self.budget -= 1
            lines += self.statement(depth)
        return lines or ["pass"]

    def nested(self, size, depth):
        """A block in a scope of its own: what it binds may not be bound after it."""
        saved = self.save()
        lines = self.block(size, depth)
        self.restore(saved)
        return lines

    def statement(self, depth):
        kinds = ["assign"] * 5 + ["show"] * 6 + ["augment"] * 3 + ["method"] * 3 + ["unpack"] * 2 + ["slice_store", "delete", "chained"]
        if depth > 0 and self.budget > 0:
            kinds += ["branch"] * 3 + ["loop"] * 3 + ["while_loop"] * 2 + ["attempt"] * 3 + ["function"] * 3 + ["closure", "raising", "matrix", "with_file"]
        if self.loop_depth:
            kinds += ["leave"] * 2
        return getattr(self, self.rng.choice(kinds))(depth)

    # Simple statements

    def assign(self, depth):
        kind = self.rng.choice(TYPES)
        source = self.make(kind, 3)
        name = self.fresh() if self.chance(0.7) or not self.scope[kind] else self.rng.choice(self.scope[kind])
        annotation = f": {kind}" if kind in ("int", "float", "str", "bool") and self.chance(0.1) and not self.loop_depth else ""
        self.declare(kind, name)
        return [f"{name}{annotation} = {source}"]

    def chained(self, depth):
        source = self.make("ints", 1)
        a, b = self.fresh(), self.fresh() + "_"
        self.declare("ints", a)
        self.declare("ints", b)
        return [f"{a} = {b} = {source}", f"{a}.append({self.make('int', 0)})", f"print({a} is {b}, {b})"]

    def show(self, depth):
        parts = []
        for _ in range(self.rng.randint(1, 3)):
            kind = self.shown()
            source = self.make(kind, 2)
            parts.append(source if self.chance(0.7) else f"type({source}).__name__")
        if self.chance(0.15):
            parts[0] = f"sorted({self.make('set', 2)})"
        extra = self.pick("", "", "", ", sep='|'", ", sep=''", ", end=';\\n'", ", sep=', ', end='\\n\\n'")
        return [f"print({', '.join(parts)}{extra})"]

    def augment(self, depth):
        kind = self.pick("int", "int", "float", "str", "ints", "set", "dict")
        if not self.scope[kind]:
            return self.assign(depth)
        name = self.rng.choice(self.scope[kind])
        value = self.make(kind, 1)
        if kind == "int":
            op = self.pick("+=", "-=", "*=", "//=", "%=", "&=", "|=", "^=", ">>=")
            if op == ">>=":
                value = str(self.rng.randint(0, 6))
        elif kind == "float":
            op = self.pick("+=", "-=", "*=", "/=", "//=", "%=")
        else:
            op = {"str": "+=", "ints": "+=", "set": self.pick("|=", "&=", "-=", "^="), "dict": "|="}[kind]
        lines = [f"{name} {op} {value}"]
        if kind == "str":
            lines.append(f"{name} = {name}[:40]")
        if kind == "ints":
            lines.append(f"del {name}[30:]")
        if kind == "int":
            lines.append(f"{name} %= 1000003")
        return lines

    def method(self, depth):
        r = self.rng
        kind = self.pick("ints", "strs", "dict", "set")
        if not self.scope[kind]:
            return self.assign(depth)
        name = r.choice(self.scope[kind])
        if kind in ("ints", "strs"):
            item = "int" if kind == "ints" else "str"
            return [f"{name}." + self.pick(
                f"append({self.make(item, 1)})", f"extend({self.make(kind, 1)}[:5])", f"insert({r.randint(-2, 4)}, {self.make(item, 1)})",
                f"pop({self.pick('', '0', '-1', '2')})", f"remove({self.make(item, 0)})", "reverse()", "sort()", "sort(reverse=True)",
                "clear()" if self.chance(0.3) else "copy()", f"sort(key={'abs' if kind == 'ints' else 'len'})")]
        if kind == "dict":
            key = self.make("str", 0)
            return [self.pick(f"{name}[{key}] = {self.make('int', 1)}", f"{name}.update({self.make('dict', 1)})", f"print({name}.pop({key}, None))",
                              f"{name}.setdefault({key}, {self.make('int', 0)})", f"print({name}[{key}])", f"print(list({name}.items()))",
                              f"print({name}.popitem())", f"del {name}[{key}]", f"{name}[{key}] = {name}.get({key}, 0) + 1",
                              f"print({name}.keys(), {name}.values())", f"print(len({name}), {key} in {name})")]
        return [self.pick(f"{name}.add({self.make('int', 1)})", f"{name}.discard({self.make('int', 0)})", f"{name}.update({self.make('ints', 1)})",
                          f"{name}.remove({self.make('int', 0)})", f"print({name}.isdisjoint({self.make('ints', 0)}), len({name}))",
                          f"print({name}.issubset({self.make('set', 1)}), {name}.issuperset([{self.make('int', 0)}]))")]

    def unpack(self, depth):
        which = self.rng.randrange(6)
        a, b = self.fresh(), self.fresh() + "_u"
        if which == 0:
            source = self.make("pair", 2)
            self.declare("int", a)
            self.declare("str", b)
            return [f"{a}, {b} = {source}"]
        if which == 1:
            source = self.make("ints", 2)
            self.declare("int", a)
            self.declare("ints", b)
            return [f"{a}, *{b} = {source}"]
        if which == 2:
            source = self.make("ints", 2)
            self.declare("ints", a)
            self.declare("int", b)
            return [f"*{a}, {b} = {source}", f"print({a}, {b})"]
        if which == 3:
            one, two = self.make("int", 1), self.make("int", 1)
            self.declare("int", a)
            self.declare("int", b)
            return [f"{a}, {b} = {one}, {two}", f"{a}, {b} = {b}, {a}"]
        if which == 4:
            source, more = self.make("pair", 1), self.make("float", 1)
            self.declare("int", a)
            self.declare("float", b)
            return [f"({a}, _), {b} = {source}, {more}", f"print({a}, _, {b})"]
        source = self.make("str", 1)
        self.declare("str", a)
        return [f"{a}, *_ = {source} or '?'", "print(len(_))"]

    def slice_store(self, depth):
        r = self.rng
        if not self.scope["ints"]:
            return self.assign(depth)
        name = r.choice(self.scope["ints"])
        return [self.pick(f"{name}[{self.slice(0)}] = {self.make('ints', 1)}", f"del {name}[{self.slice(0)}]", f"{name}[{r.randint(-3, 3)}] = {self.make('int', 1)}",
                          f"{name}[{r.randint(-2, 2)}] {self.pick('+=', '-=', '^=')} {r.randint(1, 9)}", f"del {name}[{r.randint(-3, 2)}]"),
                f"print({name})"]

    def delete(self, depth):
        kind = self.rng.choice(TYPES)
        if not self.scope[kind] or self.loop_depth or depth == 0:
            return self.show(depth)
        name = self.rng.choice(self.scope[kind])
        self.scope[kind].remove(name)
        lines = [f"del {name}"]
        if self.chance(0.5):
            lines += ["try:", f"    print({name})", "except NameError as e:", "    print(type(e).__name__, e)"]
        return lines

    # Compound statements

    def branch(self, depth):
        lines = [f"if {self.make('bool', 2)}:"] + indent(self.nested(self.rng.randint(1, 2), depth - 1))
        if self.chance(0.4):
            lines += [f"elif {self.make(self.pick('bool', 'int', 'str', 'ints'), 1)}:"] + indent(self.nested(1, depth - 1))
        if self.chance(0.6):
            lines += ["else:"] + indent(self.nested(1, depth - 1))
        return lines

    def leave(self, depth):
        return [f"if {self.make('bool', 1)}:", "    " + self.pick("break", "continue")]

    def loop(self, depth):
        saved = self.save()
        name, other = self.fresh(), self.fresh() + "_i"
        which = self.rng.randrange(7)
        if which == 0:
            head, binds = f"for {name} in range({self.rng.randint(1, 6)}):", [("int", name)]
        elif which == 1:
            head, binds = f"for {name} in {self.make('ints', 1)}[:8]:", [("int", name)]
        elif which == 2:
            head, binds = f"for {name}, {other} in enumerate({self.make('strs', 1)}[:5]):", [("int", name), ("str", other)]
        elif which == 3:
            head, binds = f"for {name}, {other} in zip({self.make('str', 1)}[:6], {self.make('ints', 1)}):", [("str", name), ("int", other)]
        elif which == 4:
            head, binds = f"for {name}, {other} in list({self.make('dict', 1)}.items())[:5]:", [("str", name), ("int", other)]
        elif which == 5:
            head, binds = f"for {name} in sorted({self.make('set', 1)})[:6]:", [("int", name)]
        else:
            head, binds = f"for {name} in range({self.rng.randint(3, 9)}, {self.rng.randint(-4, 2)}, -{self.rng.randint(1, 3)}):", [("int", name)]
        for kind, bound in binds:
            self.declare(kind, bound)
        self.loop_depth += 1
        body = self.block(self.rng.randint(1, 3), depth - 1)
        self.loop_depth -= 1
        lines = [head] + indent(body)
        self.restore(saved)
        if self.chance(0.3):
            lines += ["else:"] + indent(self.nested(1, 0))
        return lines

    def while_loop(self, depth):
        # A name that no other statement takes, so that the loop ends.
        name = f"left_{self.used}"
        self.used += 1
        saved = self.save()
        self.loop_depth += 1
        body = self.block(self.rng.randint(1, 2), depth - 1)
        self.loop_depth -= 1
        self.restore(saved)
        start = self.rng.randint(2, 6)
        lines = [f"{name} = {start}", f"while {name}{self.pick('', ' > 0', ' >= 1')}:", f"    {name} -= 1"] + indent(body)
        if self.chance(0.4):
            lines += ["else:"] + indent(self.nested(1, 0))
        lines.append(f"print({name})")
        return lines

    def attempt(self, depth):
        lines = ["try:"] + indent(self.nested(self.rng.randint(1, 3), depth - 1) + ([self.raising_line()] if self.chance(0.5) else []))
        for i in range(self.rng.randint(1, 2)):
            error = self.rng.choice(ERRORS)
            lines += [f"except {error} as e:", f"    print({self.pick('type(e).__name__, e', 'repr(e)', 'type(e), e.args', 'e')})"]
        lines += ["except Exception as e:", "    print('other', type(e).__name__)"]
        if self.chance(0.4):
            lines += ["else:"] + indent(self.nested(1, 0))
        if self.chance(0.5):
            lines += ["finally:"] + indent(self.nested(1, 0))
        return lines

    def raising_line(self):
        e = self.make
        return self.pick(
            f"raise {self.pick('ValueError', 'KeyError', 'RuntimeError', 'TypeError', 'IndexError')}({self.pick(self.string(), e('str', 0), e('int', 0), '', e('str', 0) + ', ' + e('int', 0))})",
            f"raise {self.pick('ValueError', 'KeyError', 'StopIteration', 'NotImplementedError')}",
            f"assert {e('bool', 1)}, {e('str', 1)}", f"assert {e('int', 0)} == {e('int', 0)}",
            f"print({e('int', 0)} + {e('str', 0)})", f"print({e('str', 0)} + {e('int', 0)})", f"print({e('ints', 0)}[{e('str', 0)}])",
            f"print({e('int', 1)}())", f"print({e('int', 0)}[0])", f"print(len({e('float', 0)}))", f"print({e('str', 0)} < {e('int', 0)})",
            f"print({e('ints', 0)} + {e('strs', 0)} + {e('pair', 0)})", f"print({e('dict', 0)}[{e('ints', 0)}])", f"print(undefined_{self.used})",
            f"{self.fresh()}, {self.fresh()}_ = {e('ints', 1)}", f"print({e('int', 1)} // 0)", f"print({e('float', 0)} % 0)", f"print(max([]))",
            f"print(int({self.string()}))", f"print({e('str', 0)}.nothing)", f"print({e('ints', 0)}.push(1))", f"for {self.fresh()} in {e('int', 0)}: pass",
            f"print(sorted([{e('int', 0)}, {e('str', 0)}]))", f"print({{{e('ints', 0)}: 1}})", f"print(-{e('str', 0)})", f"print(abs({e('strs', 0)}))",
            f"print(None + {e('int', 0)})", f"print({e('complex', 0)} < 1j)", f"print('{{}} {{}}'.format({e('int', 0)}))", f"print(f'{{{e('int', 0)}:>>5d5}}')",
            f"print('%d' % {self.string()})", f"print(ord({self.string()}))", f"print(chr(-1))", f"print(range(0, 5, 0))", f"print(float({e('strs', 0)}))")

    def raising(self, depth):
        return ["try:", "    " + self.raising_line(), "except Exception as e:", "    print(type(e).__name__ + ':', e)"]

    def with_file(self, depth):
        return ["with open(__file__) as source:", f"    print(source.{self.pick('readline().strip()', 'read(6)', 'readlines()[0]')})"]

    def matrix(self, depth):
        name = self.fresh()
        rows, columns = self.rng.randint(1, 3), self.rng.randint(1, 4)
        return [f"{name} = [[{self.pick('i * j', 'i - j', 'i + 10 * j', '(i + 1) ** j')} for j in range({columns})] for i in range({rows})]",
                f"{name}[{self.rng.randrange(rows)}][{self.rng.randrange(columns)}] = {self.make('int', 1)}",
                self.pick(f"print({name}, [sum(row) for row in {name}])", f"print(list(zip(*{name})))", f"for row in {name}: print(*row, sep='\\t')",
                          f"print([v for row in {name} for v in row if v])", f"print(list(map(max, {name})), max({name}))")]

    def function(self, depth):
        name = self.fresh() + "_f"
        saved, saved_loop, saved_function = self.save(), self.loop_depth, self.in_function
        self.loop_depth, self.in_function = 0, True
        first, second = self.fresh() + "_p", self.fresh() + "_q"
        kinds = self.pick(("int", "int"), ("str", "int"), ("ints", "int"), ("float", "float"), ("strs", "str"))
        default = self.make(kinds[1], 0)
        calls = [[self.make(kinds[0], 1), self.make(kinds[1], 1)], [self.make(kinds[0], 0)]]
        # The body sees its parameters only, so that a name which is assigned below is never read as a global above.
        self.scope = {t: [] for t in TYPES}
        self.declare(kinds[0], first)
        self.declare(kinds[1], second)
        form = self.rng.randrange(5)
        extra = ["", ", *more", ", **options", ", *more, flag=False, **options", ", *, flag=True"][form]
        annotated = self.chance(0.15)
        head = f"def {name}({first}{': object' if annotated else ''}, {second}={default}{extra}){' -> object' if annotated else ''}:"
        body = ['"""What it says."""'] if self.chance(0.15) else []
        if form in (1, 3):
            body.append("print('more', more)")
        if form in (2, 3):
            body.append("print('options', sorted(options.items()))")
        body += self.block(self.rng.randint(1, 3), min(depth - 1, 1))
        result = self.shown()
        if self.chance(0.3):
            body += [f"if {self.make('bool', 1)}:", f"    return {self.make(result, 1)}"]
        body.append(f"return {self.make(result, 2)}")
        self.restore(saved)
        self.loop_depth, self.in_function = saved_loop, saved_function
        lines = [head] + indent(body)
        for arguments in calls:
            text = ", ".join(arguments)
            if form == 1 and len(arguments) == 2:
                text += f", *{self.make('ints', 0)}"
            if form in (2, 3) and self.chance(0.6):
                text += f", key={self.make('str', 0)}, **{{'z': {self.make('int', 0)}}}"
            if form in (3, 4) and self.chance(0.5):
                text += ", flag=None"
            lines.append(f"print({name}({text}))")
        wrong = self.pick("", "", "", f"{name}()", f"{name}(1, 2, 3, 4)", f"{name}(1, nothing=2)", f"{name}(1, {first}=2)", f"{name}(*5)")
        if wrong:
            lines += ["try:", f"    {wrong}", "except TypeError as e:", "    print(str(e))", "except Exception as e:", "    print('inside:', type(e).__name__)"]
        return lines

    def closure(self, depth):
        outer, inner, state = self.fresh() + "_o", self.fresh() + "_n", self.fresh() + "_s"
        which = self.rng.randrange(4)
        step = self.rng.randint(1, 5)
        if which == 0:
            return [f"def {outer}({state}):", f"    def {inner}(by={step}):", f"        nonlocal {state}", f"        {state} += by", f"        return {state}",
                    f"    return {inner}, lambda: {state}", f"{inner}, peek = {outer}({self.make('int', 0)})", f"print({inner}(), {inner}(10), peek(), {inner}.__name__)"]
        if which == 1:
            return [f"{outer} = [lambda x, k=k: (k, x) for k in range({step})]", f"print([f({self.make('int', 0)}) for f in {outer}])",
                    f"print([f() for f in [lambda: k for k in range({step})]])"]
        if which == 2:
            return [f"{state} = {self.make('int', 0)}", f"def {outer}():", f"    global {state}", f"    {state} = {state} * 2 + 1", f"    return {state}",
                    f"print({outer}(), {outer}(), {state})"]
        return [f"def {outer}(function):", f"    def {inner}(*args, **kwargs):", "        print('call', len(args), sorted(kwargs))",
                f"        return function(*args, **kwargs)", f"    return {inner}", f"@{outer}", f"def {state}(a, b={step}):", "    return a * b",
                f"print({state}({self.make('int', 0)}), {state}(2, b={step + 1}), {state}.__name__)"]
