"""The field types of a document: each checks itself and says what it allows, in words.

pydantic's own constraints report one bound at a time and in its own language; these name the whole range. The
JSON schema still gets the plain `minimum`, `maximum`, `maxLength`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from engine.world.limits import MAX_COORDINATE, MAX_ID, MAX_NODES, MAX_TIME_S


class Part(BaseModel):
    """A piece of a scenario document: immutable, and unknown fields are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False, populate_by_name=True)


def refuse(problem: str, allowed: str) -> PydanticCustomError:
    """An error that carries our words through pydantic."""
    return PydanticCustomError("refused", "{problem}", {"problem": problem, "allowed": allowed})


def plain(number: float) -> str:
    """A bound as a person writes it: 10, 0.0001, 20,000, 1e7."""
    if number == int(number):
        return f"{int(number):,}" if abs(number) < 1e6 else f"{number:.0e}".replace("e+0", "e")
    return f"{number:g}"


@dataclass(frozen=True)
class Number:
    """A finite number from `low` to `high`; `open_low` leaves `low` itself out."""

    low: float
    high: float
    unit: str = ""
    open_low: bool = False

    def words(self) -> str:
        """What is allowed."""
        start = "a number above" if self.open_low else "a number from"
        joint = "and up to" if self.open_low else "to"
        return f"{start} {plain(self.low)} {joint} {plain(self.high)}" + (
            f" ({self.unit})" if self.unit else ""
        )

    def check(self, value: object) -> object:
        """Refuse text, flags, NaN and what is out of range."""
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise refuse("not a number", self.words())
        if not math.isfinite(value) if isinstance(value, float) else False:
            raise refuse("not a finite number", self.words())
        if value < self.low or value > self.high or (self.open_low and value == self.low):
            raise refuse("out of range", self.words())
        return value

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_before_validator_function(self.check, handler(source))

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        low = "exclusiveMinimum" if self.open_low else "minimum"
        return {**handler(schema), low: self.low, "maximum": self.high}


@dataclass(frozen=True)
class Whole:
    """A whole number from `low` to `high`."""

    low: int
    high: int
    unit: str = ""

    def words(self) -> str:
        """What is allowed."""
        return f"a whole number from {self.low:,} to {self.high:,}" + (f" ({self.unit})" if self.unit else "")

    def check(self, value: object) -> object:
        """Refuse text, flags, fractions and what is out of range."""
        if isinstance(value, bool) or not isinstance(value, int):
            raise refuse("not a whole number", self.words())
        if not self.low <= value <= self.high:
            raise refuse("out of range", self.words())
        return value

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_before_validator_function(self.check, handler(source))

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        return {**handler(schema), "minimum": self.low, "maximum": self.high}


@dataclass(frozen=True)
class Text:
    """Text of `shortest` to `longest` characters; `printable` leaves out line breaks and the like."""

    longest: int
    shortest: int = 0
    printable: bool = False

    def words(self) -> str:
        """What is allowed."""
        kind = "printable text" if self.printable else "text"
        size = f"{self.shortest} to {self.longest:,}" if self.shortest else f"at most {self.longest:,}"
        return f"{kind} of {size} characters"

    def check(self, value: object) -> object:
        """Refuse other types, control characters and what is too long or too short."""
        if not isinstance(value, str):
            raise refuse("not text", self.words())
        if len(value) < self.shortest:
            raise refuse("empty", self.words())
        if len(value) > self.longest:
            raise refuse("too long", self.words())
        if self.printable and not value.isprintable():
            raise refuse("contains characters that cannot be printed", self.words())
        if self.shortest and not value.strip():
            raise refuse("only blanks", self.words())
        return value

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_before_validator_function(self.check, handler(source))

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        return {**handler(schema), "minLength": self.shortest, "maxLength": self.longest}


@dataclass(frozen=True)
class Flag:
    """true or false, and nothing that merely looks like it."""

    def words(self) -> str:
        """What is allowed."""
        return "true or false"

    def check(self, value: object) -> object:
        """Refuse 0, 1, "yes" and the like."""
        if not isinstance(value, bool):
            raise refuse("not a flag", self.words())
        return value

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_before_validator_function(self.check, handler(source))


@dataclass(frozen=True)
class Numbers:
    """One number or a list of numbers, each within ±`bound`; with `whole` no fractions."""

    bound: int
    whole: bool = False
    longest: int = 1_000

    def words(self) -> str:
        """What is allowed."""
        kind = "whole number" if self.whole else "number"
        return f"a {kind} within ±{self.bound:,}, or a list of up to {self.longest:,} of them"

    def check(self, value: object) -> object:
        """Refuse other types, too big numbers, too long lists."""
        if isinstance(value, list | tuple):
            if len(value) > self.longest:
                raise refuse(f"{len(value):,} numbers", self.words())
            for inner in value:
                self._check_one(inner)
            return tuple(value)
        self._check_one(value)
        return value

    def _check_one(self, value: object) -> None:
        kinds = int if self.whole else (int, float)
        if isinstance(value, bool) or not isinstance(value, kinds):
            raise refuse("not a whole number" if self.whole else "not a number", self.words())
        if not -self.bound <= value <= self.bound:
            raise refuse("out of range", self.words())

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_before_validator_function(self.check, handler(source))


NodeId = Annotated[str, Text(MAX_ID, 1, printable=True)]
Name = Annotated[str, Text(MAX_ID, 1, printable=True)]
"""A channel, layer, field, message or protocol name."""
Time = Annotated[float, Number(0, MAX_TIME_S, "seconds")]
Span = Annotated[float, Number(0, MAX_TIME_S, "seconds", open_low=True)]
Share = Annotated[float, Number(0, 1)]
Coordinate = Annotated[float, Number(-MAX_COORDINATE, MAX_COORDINATE)]
Metres = Annotated[float, Number(0, MAX_COORDINATE, "metres", open_low=True)]
Count = Annotated[int, Whole(1, MAX_NODES)]
Switch = Annotated[bool, Flag()]


@dataclass(frozen=True)
class Pair:
    """A link: two different node ids."""

    def words(self) -> str:
        """What is allowed."""
        return 'two different node ids such as ["a", "b"]'

    def check(self, value: object) -> object:
        """Refuse other shapes and a node linked to itself."""
        if not isinstance(value, list | tuple) or len(value) != 2:
            raise refuse("not a link", self.words())
        if value[0] == value[1]:
            raise refuse("a link from a node to itself", self.words())
        return value

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_before_validator_function(self.check, handler(source))


Link = Annotated[tuple[NodeId, NodeId], Pair()]
