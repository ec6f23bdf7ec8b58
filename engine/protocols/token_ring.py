"""A token goes around the virtual ring: Dijkstra's K-state rule, by messages. Stabilises: yes. Deviations: none.

Each position copies the value of the one before; position 0 counts on when its own is back. The token is where the next has
yet to copy. Proof: fewer than K values are about, so position 0 comes to one that nobody else has; frames stay in order, so
only this one follows, and once it is back there is no other. Values are told again every period, so loss only delays.
"""

from typing import Annotated, Any, NamedTuple

from engine.core.declare import NONE, Flag, Int, Layer, Message, Param, Position, Table
from engine.layers.on_ring import on_the_ring, towards
from engine.layers.virtual_ring import own

K = 1 << 30


class TokenState(NamedTuple):
    value: Annotated[Table[int], "pos", Int("Value", 0, K - 1)]
    fresh: Annotated[Table[int], "pos", Flag("Holds the token")]  # and passes it on at the next tick


class Token(NamedTuple):
    from_pos: Annotated[int, Position("from position")]
    goal: Annotated[int, Position("to position")]
    value: Annotated[int, Int("value", 0, K - 1)]


class Value(NamedTuple):
    goal: Annotated[int, Position("to position")]
    value: Annotated[int, Int("value", 0, K - 1)]


def tell(st: Any, net: Any, v: int) -> None:
    for k in own(st, v):
        p, goal = st.ring.pos[v][k], (st.ring.pos[v][k] + 1) % max(1, st.ring.length[v])
        j = towards(st, v, goal)
        if j != NONE and st.token.fresh[v][k] == 1:
            st.token.fresh[v][k] = 0
            net.unicast(v, j, Token(p, goal, st.token.value[v][k]))
        elif j != NONE:
            net.unicast(v, j, Value(goal, st.token.value[v][k]))


def take(st: Any, net: Any, v: int, j: int, m: Any) -> None:
    for k in own(st, v):
        if st.ring.pos[v][k] == m.goal and (st.token.value[v][k] == m.value) == (m.goal == 0):
            st.token.value[v][k] = (m.value + 1) % K if m.goal == 0 else m.value
            st.token.fresh[v][k] = 1


def judge(truth: Any, st: Any) -> list[int]:
    wrong = [0] * st.env.n
    for ring in truth.owner:  # the node at each position; of several tokens the first is right
        x = [st.token.value[v][truth.pos[v].index(p)] for p, v in enumerate(ring)]
        tokens = [v for p, v in enumerate(ring) if (x[p] == x[p + 1 - len(x)]) == (p + 1 == len(x))]
        for v in tokens[1:]:
            wrong[v] += 1
    return wrong


TOKEN = Layer(
    name="token",
    key="token",
    title="Token ring",
    summary="A token goes around the ring: whoever holds it may do what only one node may do at a time.",
    state=TokenState,
    every={tell: "tell_s"},
    on={Token: take, Value: take},
    judge=judge,
    params=(Param("tell_s", "float", 0.3, "Period", "How often positions tell values.", 0.1, 60.0, "s"),),
)

TOKEN_RING = on_the_ring(
    "token-ring",
    TOKEN,
    Message(Token, "TOKEN", "publication", "The token on its way.", shown=("from_pos", "goal")),
    Message(Value, "VALUE", "structure", "A value told again, in case the token was lost."),
    source="Dijkstra: Self-stabilizing systems in spite of distributed control (CACM 17, 1974)",
)
