"""Loss bursts: for a while more is lost than the network loses by itself. They may overlap; the worst counts."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from engine.play.scene import Scene


class Burst(NamedTuple):
    """Share that is lost, on all links of `nodes`, which may be a link's two ends; `nodes` empty: everywhere."""

    loss: float
    nodes: tuple[int, ...] = ()
    only_between: bool = False

    def covers(self, a: int, b: int) -> bool:
        """Whether the link between two nodes suffers."""
        if not self.nodes:
            return True
        inside = (a in self.nodes) + (b in self.nodes)
        return inside == 2 if self.only_between else inside > 0


def loss_of(scene: Scene, a: int, b: int) -> float:
    """What the link between two nodes loses now."""
    own = scene.link_loss.get((min(a, b), max(a, b)), scene.base_loss)
    return max([own, *(burst.loss for burst in scene.bursts.values() if burst.covers(a, b))])


def settle(scene: Scene) -> None:
    """Have every link lose what it should, after a change of its own loss or of the bursts."""
    everywhere = max([scene.base_loss, *(burst.loss for burst in scene.bursts.values() if not burst.nodes)])
    scene.sim.set_loss(everywhere)
    local = [burst for burst in scene.bursts.values() if burst.nodes]
    special = set(scene.link_loss)
    if local:
        special |= {link for link in scene.living.links if any(burst.covers(*link) for burst in local)}
    for link in sorted(special):
        if (share := loss_of(scene, *link)) != everywhere:
            scene.sim.set_loss(share, link)
