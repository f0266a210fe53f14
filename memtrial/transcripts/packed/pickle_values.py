"""The values that a pickle holds, read without running any of it.

A pickle is a program that may call anything. Here its steps are listed by the standard library, which runs
none, and only those that build plain values are followed. An object of a class becomes its fields; what a
call would have made is left blank. Depth is bounded, and keys are texts.
"""

import pickletools
from collections.abc import Callable
from typing import Any

from memtrial.transcripts.log_text import Json
from memtrial.transcripts.logged_run import LogFault

MOST_STEPS = 5_000_000
MOST_DEEP = 100


class _Mark:
    """Where a group of values begins."""


_MARK = _Mark()
_PLAIN = frozenset({
    "BININT", "BININT1", "BININT2", "INT", "LONG", "LONG1", "LONG4", "FLOAT", "BINFLOAT", "UNICODE",
    "BINUNICODE",
    "SHORT_BINUNICODE", "BINUNICODE8", "STRING", "BINSTRING", "SHORT_BINSTRING",
})  # fmt: skip
_CONSTANT: dict[str, Callable[[], Any]] = {
    "NONE": lambda: None, "NEWTRUE": lambda: True, "NEWFALSE": lambda: False, "EMPTY_DICT": dict,
    "EMPTY_LIST": list,
    "EMPTY_TUPLE": list, "EMPTY_SET": list, "BINBYTES": lambda: None, "SHORT_BINBYTES": lambda: None,
    "BINBYTES8": lambda: None, "BYTEARRAY8": lambda: None, "GLOBAL": lambda: None,
}  # fmt: skip


def read_pickle(raw: bytes, where: str) -> Json:
    """The value, with objects as their fields. Raises LogFault: no pickle, damaged, too long or too deep."""
    try:
        return _follow(raw, where)
    except LogFault:
        raise
    except (
        ValueError,
        IndexError,
        KeyError,
        AttributeError,
        TypeError,
        OverflowError,
        UnicodeError,
    ) as fault:
        raise LogFault(f"{where}: no pickle that can be read without running it: {fault}") from fault


def _follow(raw: bytes, where: str) -> Json:
    stack: list[Any] = []
    memo: dict[int, Any] = {}
    depths: dict[int, int] = {}
    kept: list[Any] = []

    def push(value: Any, *parts: Any) -> None:
        depth = 1 + max((depths.get(id(part), 0) for part in parts), default=0)
        if depth > MOST_DEEP:
            raise LogFault(f"{where}: nested more than {MOST_DEEP} deep")
        if isinstance(value, list | dict):
            depths[id(value)] = max(depth, depths.get(id(value), 0))
            kept.append(value)
        stack.append(value)

    def pop_group() -> list[Any]:
        for at in range(len(stack) - 1, -1, -1):
            if stack[at] is _MARK:
                group = stack[at + 1 :]
                del stack[at:]
                return group
        raise ValueError("a group without a beginning")

    for steps, (operation, argument, _) in enumerate(pickletools.genops(raw)):
        if steps > MOST_STEPS:
            raise LogFault(f"{where}: more than {MOST_STEPS:,} steps")
        name = operation.name
        if name in ("PROTO", "FRAME"):
            continue
        if name == "STOP":
            return stack.pop()
        if name in _PLAIN:
            push(argument)
        elif name in _CONSTANT:
            push(_CONSTANT[name]())
        elif name == "MARK":
            stack.append(_MARK)
        elif name in ("POP", "POP_MARK"):
            stack.pop() if name == "POP" else pop_group()
        elif name == "DUP":
            stack.append(stack[-1])
        elif name in ("PUT", "BINPUT", "LONG_BINPUT", "MEMOIZE"):
            memo[len(memo) if name == "MEMOIZE" else int(argument or 0)] = stack[-1]
        elif name in ("GET", "BINGET", "LONG_BINGET"):
            stack.append(memo[int(argument or 0)])
        elif name in ("TUPLE1", "TUPLE2", "TUPLE3"):
            group = stack[-int(name[-1]) :]
            del stack[-int(name[-1]) :]
            push(group, *group)
        elif name in ("TUPLE", "LIST", "FROZENSET"):
            group = pop_group()
            push(group, *group)
        elif name in ("APPEND", "APPENDS", "ADDITEMS"):
            group = [stack.pop()] if name == "APPEND" else pop_group()
            target = stack.pop()
            if isinstance(target, list):
                target.extend(group)
            push(target, target, *group)
        elif name in ("SETITEM", "SETITEMS", "DICT"):
            group = stack[-2:] if name == "SETITEM" else pop_group()
            if name == "SETITEM":
                del stack[-2:]
            target = {} if name == "DICT" else stack.pop()
            if isinstance(target, dict):
                pairs = zip(group[::2], group[1::2], strict=True)
                target.update((key, value) for key, value in pairs if isinstance(key, str))
            push(target, *group)
        elif name == "STACK_GLOBAL":
            del stack[-2:]
            push(None)
        elif name in ("NEWOBJ", "REDUCE"):
            del stack[-2:]
            push({})
        elif name == "NEWOBJ_EX":
            del stack[-3:]
            push({})
        elif name in ("OBJ", "INST"):
            pop_group()
            push({})
        elif name == "BUILD":
            state = stack.pop()
            target = stack.pop()
            for part in state if isinstance(state, list) else [state]:
                if isinstance(target, dict) and isinstance(part, dict):
                    target.update(part)
            push(target, state)
        else:
            raise LogFault(f"{where}: a pickle with {name}, which no log needs")
    raise ValueError("no end")
