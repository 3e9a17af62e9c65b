"""Models over the wire, through `pydantic-ai-slim` (extra `llm`); imported only where a model is asked for."""

from __future__ import annotations

import asyncio
import json
import os
import re
from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Any, TypeVar
from urllib.parse import urlsplit

from csrag.ask.language.protocol import Limits, Message, ModelFailure, NoToolCallingError, ToolCall, Turn
from csrag.errors import RequestError

PROVIDERS = ("openai", "anthropic")
_HOW = "Name it PROVIDER:MODEL, such as openai:gpt-4.1-mini or anthropic:claude-sonnet-4-5."
_UNKNOWN_REQUEST = frozenset({400, 404, 422, 501})
"""How servers say that they do not know a part of a request."""
T = TypeVar("T")
_MODEL = re.compile(r"[\w./:@+-]{1,120}")


def open_model(spec: str, env: Mapping[str, str] | None = None, limits: Limits | None = None) -> WireModel:
    """The model that a user names.

    Parameters
    ----------
    spec : str
        PROVIDER:MODEL; `openai` is any OpenAI-compatible server (address in `CSRAG_LLM_URL`), `anthropic` is Anthropic.
    env : mapping, optional
        Environment; that of the process by default. Keys come from here only.
    limits : Limits, optional
        Tokens of a reply.

    Raises
    ------
    RequestError
        For an unknown provider, an unusable address, a missing key or a missing extra.
    """
    found = os.environ if env is None else env
    provider, _, model = spec.partition(":")
    if provider not in PROVIDERS or not _MODEL.fullmatch(model):
        raise RequestError(f"{spec[:80]!r} names no model that can be used.",
                           f"{_HOW} Providers: {', '.join(PROVIDERS)}.", code="llm_unknown")  # fmt: skip
    url = found.get("CSRAG_LLM_URL") or None
    if provider == "anthropic":
        key, url = found.get("ANTHROPIC_API_KEY"), None
        wanted = "ANTHROPIC_API_KEY"
    elif url is None:
        key, wanted = found.get("OPENAI_API_KEY"), "OPENAI_API_KEY"
    else:
        # A server of the user's own gets no key that was meant for another one.
        key, wanted = found.get("CSRAG_LLM_KEY") or "none", ""
        parts = urlsplit(url)
        if parts.scheme not in {"http", "https"} or not parts.hostname or parts.username or parts.password:
            raise RequestError("CSRAG_LLM_URL is no address of a server.",
                               "Give http(s)://HOST:PORT/v1, without a user or a password in it.", code="llm_url")  # fmt: skip
    if not key:
        raise RequestError(f"There is no key for {provider} in the environment.",
                           f"Set {wanted}" + (", or CSRAG_LLM_URL for a server of your own." if provider == "openai" else "."),
                           code="llm_key_missing")  # fmt: skip
    try:
        import pydantic_ai  # noqa: F401
    except ImportError:
        raise RequestError("Language models need the extra `llm`.", 'Run: pip install "csrag[llm]"',
                           code="extra_missing") from None  # fmt: skip
    return WireModel(provider, model, url, key, limits)


class WireModel:
    """One model of one provider.

    Parameters
    ----------
    provider, model : str
        As in `open_model`.
    url : str or None
        Address of an OpenAI-compatible server; None for the provider's own.
    key : str
        Its key; in no message and no representation.
    limits : Limits
        Tokens of a reply.
    """

    def __init__(self, provider: str, model: str, url: str | None, key: str, limits: Limits | None = None) -> None:
        self._provider, self._model, self._url, self._key = provider, model, url, key
        self._limits = limits or Limits()

    @property
    def name(self) -> str:
        """PROVIDER:MODEL."""
        return f"{self._provider}:{self._model}"

    def complete(self, instructions: str, prompt: str, schema: Mapping[str, Any] | None, wall_s: float) -> str:
        """One reply; structured output first where a schema is given, then plain text.

        Parameters
        ----------
        instructions, prompt : str
            For the model.
        schema : mapping or None
            JSON schema of the reply.
        wall_s : float
            Time it may take [s].

        Raises
        ------
        ModelFailure
            If there is no usable reply; the message holds neither key nor address.
        """
        return self._run(self._reply(instructions, prompt, schema, wall_s), wall_s)

    def stream(self, instructions: str, prompt: str, wall_s: float, emit: Callable[[str], bool]) -> None:
        """One reply in plain text, piece by piece.

        Parameters
        ----------
        instructions, prompt : str
            For the model.
        wall_s : float
            Time it may take [s].
        emit : callable
            Given each piece; where it returns false the reply is broken off.

        Raises
        ------
        ModelFailure
            If the reply does not come to its end.
        """
        self._run(self._stream(instructions, prompt, wall_s, emit), wall_s)

    def turn(
        self, instructions: str, messages: Sequence[Message], tools: Sequence[Mapping[str, Any]], wall_s: float
    ) -> Turn:
        """The model's next move in a planning conversation.

        Parameters
        ----------
        instructions : str
            For the model.
        messages : sequence of Message
            The conversation so far.
        tools : sequence of mapping
            Name, description and parameters of each tool.
        wall_s : float
            Time it may take [s].

        Raises
        ------
        NoToolCallingError
            If the server refuses tools.
        ModelFailure
            If there is no usable reply.
        """
        return self._run(self._turn(instructions, messages, tools, wall_s), wall_s)

    def _run(self, work: Coroutine[Any, Any, T], wall_s: float) -> T:
        try:
            return asyncio.run(asyncio.wait_for(work, wall_s))
        except TimeoutError:
            raise ModelFailure("it did not reply in time") from None
        except ModelFailure:
            raise
        except Exception as error:
            status = getattr(error, "status_code", None)
            what = f"HTTP {status}" if isinstance(status, int) else type(error).__name__
            raise ModelFailure(f"it failed ({what})") from None

    async def _stream(self, instructions: str, prompt: str, wall_s: float, emit: Callable[[str], bool]) -> None:
        from pydantic_ai.direct import model_request_stream
        from pydantic_ai.messages import (
            ModelRequest,
            PartDeltaEvent,
            PartStartEvent,
            TextPart,
            TextPartDelta,
            UserPromptPart,
        )

        asked = ModelRequest(parts=[UserPromptPart(prompt)], instructions=instructions)
        async with (
            self._client() as client,
            model_request_stream(
                self._wire(client), [asked], model_settings=self._settings(wall_s), instrument=False
            ) as pieces,
        ):
            async for event in pieces:
                piece = ""
                if isinstance(event, PartStartEvent) and isinstance(event.part, TextPart):
                    piece = event.part.content
                elif isinstance(event, PartDeltaEvent) and isinstance(event.delta, TextPartDelta):
                    piece = event.delta.content_delta
                if piece and not emit(piece):
                    return

    async def _turn(
        self, instructions: str, messages: Sequence[Message], tools: Sequence[Mapping[str, Any]], wall_s: float
    ) -> Turn:
        from pydantic_ai.direct import model_request_stream
        from pydantic_ai.exceptions import ModelHTTPError, UserError
        from pydantic_ai.messages import TextPart, ToolCallPart
        from pydantic_ai.models import ModelRequestParameters
        from pydantic_ai.tools import ToolDefinition

        known = ModelRequestParameters(
            function_tools=[
                ToolDefinition(
                    name=t["name"], description=t["description"], parameters_json_schema=dict(t["parameters"])
                )
                for t in tools
            ]
        )
        try:
            async with (
                self._client() as client,
                model_request_stream(
                    self._wire(client), _wire_messages(instructions, messages), model_settings=self._settings(wall_s),
                    model_request_parameters=known, instrument=False,
                ) as pieces,
            ):  # fmt: skip
                async for _ in pieces:
                    pass
                reply = pieces.get()
        except ModelHTTPError as error:
            if error.status_code in _UNKNOWN_REQUEST:
                raise NoToolCallingError("its server knows no tool calling") from None
            raise
        except UserError:
            raise NoToolCallingError("it knows no tool calling") from None
        calls = tuple(
            ToolCall(p.tool_name, p.args if isinstance(p.args, str) else json.dumps(p.args or {}), p.tool_call_id)
            for p in reply.parts
            if isinstance(p, ToolCallPart)
        )
        text = "".join(p.content for p in reply.parts if isinstance(p, TextPart))
        return Turn(calls, text, reply.usage.output_tokens)

    def _settings(self, wall_s: float) -> Any:
        from pydantic_ai.settings import ModelSettings

        return ModelSettings(temperature=0.0, max_tokens=self._limits.output_tokens, timeout=wall_s)

    async def _reply(self, instructions: str, prompt: str, schema: Mapping[str, Any] | None, wall_s: float) -> str:
        from pydantic_ai import Agent, NativeOutput, StructuredDict
        from pydantic_ai.exceptions import ModelHTTPError, UnexpectedModelBehavior, UserError
        from pydantic_ai.usage import UsageLimits

        settings = self._settings(wall_s)
        limits = UsageLimits(request_limit=1, tool_calls_limit=0, output_tokens_limit=4 * self._limits.output_tokens)
        client = self._client()
        async with client:
            model = self._wire(client)
            if schema is not None:
                try:
                    structured = Agent(
                        model,
                        output_type=NativeOutput(StructuredDict(dict(schema))),
                        instructions=instructions,
                        retries=0,
                    )
                    done = await structured.run(prompt, model_settings=settings, usage_limits=limits)
                    return json.dumps(done.output)
                except ModelHTTPError as error:
                    if error.status_code not in _UNKNOWN_REQUEST:  # the server does not know structured output
                        raise
                except (UnexpectedModelBehavior, UserError):
                    pass
            plain = Agent(model, output_type=str, instructions=instructions, retries=0)
            text = await plain.run(prompt, model_settings=settings, usage_limits=limits)
            return str(text.output)

    def _client(self) -> Any:
        if self._provider == "anthropic":
            from anthropic import AsyncAnthropic

            return AsyncAnthropic(api_key=self._key, max_retries=1)
        from openai import AsyncOpenAI

        return AsyncOpenAI(api_key=self._key, base_url=self._url or "https://api.openai.com/v1", max_retries=1)

    def _wire(self, client: Any) -> Any:
        if self._provider == "anthropic":
            from pydantic_ai.models.anthropic import AnthropicModel
            from pydantic_ai.providers.anthropic import AnthropicProvider

            return AnthropicModel(self._model, provider=AnthropicProvider(anthropic_client=client))
        from pydantic_ai.models.openai import OpenAIChatModel
        from pydantic_ai.providers.openai import OpenAIProvider

        return OpenAIChatModel(self._model, provider=OpenAIProvider(openai_client=client))


def _wire_messages(instructions: str, messages: Sequence[Message]) -> list[Any]:
    """A planning conversation in the library's messages; results of one move stand in one message."""
    from pydantic_ai.messages import ModelRequest, ModelResponse, TextPart, ToolCallPart, ToolReturnPart, UserPromptPart

    out: list[Any] = []
    for message in messages:
        if message.role == "model":
            text = [TextPart(message.text)] if message.text else []
            calls = [ToolCallPart(c.name, _object(c.arguments), c.call_id) for c in message.calls]
            out.append(ModelResponse(parts=[*text, *calls]))
            continue
        part = (
            UserPromptPart(message.text)
            if message.call is None
            else ToolReturnPart(message.call.name, message.text, message.call.call_id)
        )
        if out and isinstance(out[-1], ModelRequest):
            out[-1].parts = [*out[-1].parts, part]
        else:
            out.append(ModelRequest(parts=[part], instructions=instructions))
    return out


def _object(arguments: str) -> dict[str, Any]:
    """Arguments as an object; what a model wrote and is none is not sent back to it, since servers choke on it."""
    try:
        found = json.loads(arguments)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
