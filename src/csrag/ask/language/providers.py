"""Models over the wire, through `pydantic-ai-slim` (extra `llm`); imported only where a model is asked for."""

from __future__ import annotations

import asyncio
import json
import os
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from csrag.ask.language.protocol import Limits, ModelFailure
from csrag.errors import RequestError

PROVIDERS = ("openai", "anthropic")
_HOW = "Name it PROVIDER:MODEL, such as openai:gpt-4.1-mini or anthropic:claude-sonnet-4-5."
_MODEL = re.compile(r"[\w./:@+-]{1,120}")


def open_model(spec: str, env: Mapping[str, str] | None = None) -> WireModel:
    """The model that a user names.

    Parameters
    ----------
    spec : str
        PROVIDER:MODEL; `openai` is any OpenAI-compatible server (address in `CSRAG_LLM_URL`), `anthropic` is Anthropic.
    env : mapping, optional
        Environment; that of the process by default. Keys come from here only.

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
    return WireModel(provider, model, url, key)


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
        try:
            return asyncio.run(asyncio.wait_for(self._reply(instructions, prompt, schema, wall_s), wall_s))
        except TimeoutError:
            raise ModelFailure("it did not reply in time") from None
        except ModelFailure:
            raise
        except Exception as error:
            status = getattr(error, "status_code", None)
            what = f"HTTP {status}" if isinstance(status, int) else type(error).__name__
            raise ModelFailure(f"it failed ({what})") from None

    async def _reply(self, instructions: str, prompt: str, schema: Mapping[str, Any] | None, wall_s: float) -> str:
        from pydantic_ai import Agent, NativeOutput, StructuredDict
        from pydantic_ai.exceptions import ModelHTTPError, UnexpectedModelBehavior, UserError
        from pydantic_ai.settings import ModelSettings
        from pydantic_ai.usage import UsageLimits

        settings = ModelSettings(temperature=0.0, max_tokens=self._limits.output_tokens, timeout=wall_s)
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
                    if error.status_code not in {400, 404, 422, 501}:  # the server does not know structured output
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
