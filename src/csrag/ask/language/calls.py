"""Calls of tools from a model: by tool calling where it knows it, else as JSON that it writes as plain text."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from csrag.ask.language.protocol import Assistant, Message, ModelFailure, NoToolCallingError, ToolCall, Turn

SCHEMA: dict[str, Any] = {
    "type": "object",
    "title": "next_calls",
    "properties": {
        "calls": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"tool": {"type": "string"}, "arguments": {"type": "object"}},
                "required": ["tool", "arguments"],
            },
        }
    },
    "required": ["calls"],
}
_AS_JSON = (
    ' Reply with one JSON object and nothing else: {"calls": [{"tool": NAME, "arguments": {NAME: VALUE}}]}. When everything is '
    'computed, reply {"calls": []}.'
)
_MAX_CALLS = 8
_MAX_CHARACTERS = 12_000
"""Of the conversation, as it is told to a model without tool calling."""


class Caller:
    """A planning conversation with a model.

    Parameters
    ----------
    assistant : Assistant
        The model.
    instructions : str
        What it is to do.
    tools : sequence of mapping
        Name, description, parameters (a JSON schema) of each tool.
    question : str
        What the conversation begins with.
    """

    def __init__(
        self, assistant: Assistant, instructions: str, tools: Sequence[Mapping[str, Any]], question: str
    ) -> None:
        self._assistant, self._instructions, self._tools = assistant, instructions, tools
        self._messages = [Message("user", question)]
        self._native = True

    def next_calls(self) -> tuple[ToolCall, ...]:
        """The calls that the model wants now, none where it is done.

        Raises
        ------
        ModelFailure
            If it does not deliver.
        """
        if self._native:
            try:
                turn = self._assistant.turn(self._instructions, self._messages, self._tools)
            except NoToolCallingError:
                self._native = False
            else:
                if turn.calls or len(self._messages) > 1:
                    self._messages.append(Message("model", turn.text, turn.calls))
                    return turn.calls
                # Models without the skill, behind servers that take tools and drop them, answer in prose.
                self._native = False
        turn = self._as_json()
        self._messages.append(Message("model", turn.text, turn.calls))
        return turn.calls

    def tell(self, call: ToolCall, result: str) -> None:
        """Put the result of a call into the conversation."""
        self._messages.append(Message("tool", result, call=call))

    def _as_json(self) -> Turn:
        """The next calls, read out of plain text; one more try for a reply that cannot be read.

        Raises
        ------
        ModelFailure
            If neither can.
        """
        told = [{"tools": [_short(t) for t in self._tools]}, *map(_told, self._messages)]
        prompt = "\n".join(json.dumps(part, ensure_ascii=False) for part in told)
        if len(prompt) > _MAX_CHARACTERS:
            raise ModelFailure("the conversation became too long for it")
        again = ""
        for attempt in range(2):
            reply = self._assistant.ask(self._instructions + _AS_JSON, prompt + again, SCHEMA)
            try:
                return Turn(_read(reply, len(self._messages)))
            except ModelFailure:
                if attempt:
                    raise
                again = "\nYour last reply was not the JSON asked for."
        raise AssertionError("unreachable")


def _short(tool: Mapping[str, Any]) -> dict[str, Any]:
    """A tool in few words, for models with little room."""
    wanted = tool["parameters"]["required"]
    kinds = {
        name: "|".join(part["enum"]) if len(part.get("enum", ())) in range(1, 6) else part["type"]
        for name, part in tool["parameters"]["properties"].items()
    }
    return {"tool": tool["name"], "does": tool["description"], "arguments": kinds, "required": wanted}


def _told(message: Message) -> dict[str, Any]:
    if message.role == "model":
        return {"your_calls": [{"tool": c.name, "arguments": c.arguments[:400]} for c in message.calls]}
    return {"question": message.text} if message.call is None else {"result_of": message.call.name, "is": message.text}


def _read(reply: str, before: int) -> tuple[ToolCall, ...]:
    body = reply[reply.find("{") : reply.rfind("}") + 1]
    try:
        calls = json.loads(body)["calls"]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise ModelFailure("its reply is not the JSON asked for") from None
    if not isinstance(calls, list) or not all(isinstance(c, dict) and isinstance(c.get("tool"), str) for c in calls):
        raise ModelFailure("its reply is not the JSON asked for")
    return tuple(
        ToolCall(c["tool"], json.dumps(c.get("arguments", {})), f"call_{before}_{n}")
        for n, c in enumerate(calls[: _MAX_CALLS + 1])
    )
