"""The API: what each address takes and gives. It computes nothing; answers come from the same functions as the command line's."""

from __future__ import annotations

import functools
import hmac
import json
import logging
import time
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import FastAPI, Header, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response, StreamingResponse
from pydantic import BaseModel, ConfigDict, Field
from starlette.exceptions import HTTPException

from csrag import __version__
from csrag.ask.checks import MAX_QUESTION_CHARACTERS
from csrag.ask.intent import parse
from csrag.ask.recording import layers_json
from csrag.errors import CsragError, RequestError
from csrag.interfaces.http.answers import FAULT, TIME_UP, Answerer, TimeUpError, error_json
from csrag.interfaces.http.conversations import IDLE_S, MOST, Conversations
from csrag.surfaces.store import LayerStore

MAX_BODY_BYTES = 64 * 1024
_LOG = logging.getLogger("csrag.http")
_STATUS = {"session_unknown": 404, "session_busy": 409, "server_busy": 503, "too_many_sessions": 503}
_RETRY_S = "2"
_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
_EXAMPLE = "25 MW facility near Quincy, CA. Fire risk matters."


@dataclass(frozen=True)
class Limits:
    """Limits of a server.

    Parameters
    ----------
    at_once : int
        Questions answered at the same time.
    wall_s : float
        A question is given up after this long [s].
    sessions : int
        Conversations kept.
    idle_s : float
        A conversation is forgotten after this long without a question [s].
    """

    at_once: int = 8
    wall_s: float = 120.0
    sessions: int = MOST
    idle_s: float = IDLE_S


class Problem(BaseModel):
    """A refusal of the request itself; an answer that is refused is a record with its reason."""

    code: str = Field(examples=["session_unknown"])
    message: str
    fix: str


class Question(BaseModel):
    """A message: one question or several."""

    model_config = ConfigDict(extra="forbid")
    question: Annotated[str, Field(min_length=1, max_length=MAX_QUESTION_CHARACTERS, examples=[_EXAMPLE])]
    session: Annotated[
        str | None, Field(max_length=100, description="id of a conversation; left out for a question by itself")
    ] = None


class Parsed(BaseModel):
    """A question and those before it."""

    model_config = ConfigDict(extra="forbid")
    question: Annotated[str, Field(min_length=1, max_length=MAX_QUESTION_CHARACTERS, examples=["and for 30 MW?"])]
    after: Annotated[list[str], Field(max_length=50, examples=[["20 MW at Quincy"]])] = []


class SessionId(BaseModel):
    """A conversation of one client; whoever knows the id speaks in it."""

    session: str
    idle_s: float = Field(description="forgotten after this long without a question [s]")


def create_app(layers: Callable[[], LayerStore], limits: Limits | None = None, token: str | None = None) -> FastAPI:
    """The application over one layer set.

    Parameters
    ----------
    layers : callable
        Opens the layer set; called once.
    limits : Limits, optional
        The usual ones by default.
    token : str, optional
        Where given, every address but health asks for it as a bearer token.
    """
    kept = limits or Limits()
    store = functools.cache(layers)
    conversations = Conversations(store, kept.sessions, kept.idle_s)
    answerer = Answerer(store, conversations, kept.at_once, kept.wall_s)

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        await run_in_threadpool(store)
        yield

    app = FastAPI(
        title="csrag", version=__version__, lifespan=lifespan, docs_url=None, redoc_url=None, openapi_url="/api/openapi.json",
        description="Answers biomass siting questions by computing over forest, fire and road surfaces. Loopback by default.",
    )  # fmt: skip
    app.middleware("http")(_guarded(token))
    _add_error_handlers(app)
    problems: dict[int | str, dict[str, Any]] = {code: {"model": Problem} for code in (404, 409, 413, 422, 503)}

    @app.get("/api/health")
    def health() -> dict[str, Any]:
        """Whether the server answers, and over which layer set."""
        return {"status": "ok", "version": __version__, "layers": store().hash, "sessions": len(conversations)}

    @app.get("/api/layers")
    def layer_set() -> dict[str, Any]:
        """The layer set: name, versions, hash, and whether it is synthetic."""
        return {**layers_json(store()), "clusters": len(store())}

    @app.post("/api/parse", responses=problems)
    def parsed(body: Parsed) -> dict[str, Any]:
        """How a question is understood: the query record, nothing computed."""
        return parse(body.question, body.after).to_json()

    @app.post("/api/sessions", status_code=201, responses=problems)
    def begin() -> SessionId:
        """Begin a conversation: follow-ups change only what they name, and nobody else sees them."""
        return SessionId(session=conversations.begin(), idle_s=kept.idle_s)

    @app.delete("/api/sessions/{session}", status_code=204, responses=problems)
    def end(session: str) -> Response:
        """End a conversation and forget it."""
        if not conversations.end(session):
            raise RequestError("There is no such conversation.", "It may have ended already.", code="session_unknown")
        return Response(status_code=204)

    @app.post("/api/ask", responses=problems)
    def ask(body: Question) -> dict[str, Any]:
        """The answer record, as `csrag ask --json` gives it; a refused answer is a record too."""
        return answerer.record(body.question, body.session)

    @app.post("/api/ask/stream", responses={**problems, 200: {"content": {"text/event-stream": {}}}})
    async def stream(body: Question, last_event_id: Annotated[str | None, Header()] = None) -> Response:
        """The same as server-sent events: `stage` and `sentence` as they come, then `record` or `error`."""
        if last_event_id is not None:
            # A stream is not resumed: asking again would run the question twice in a conversation.
            return Response(status_code=204)
        if body.session is not None:
            conversations.get(body.session)
        events = answerer.events(body.question, body.session)

        async def told() -> AsyncIterator[str]:
            try:
                while (event := await run_in_threadpool(events.next)) is not None:
                    yield f"event: {event[0]}\ndata: {json.dumps(event[1], ensure_ascii=False, allow_nan=False)}\n\n"
            finally:
                events.close()

        return StreamingResponse(told(), media_type="text/event-stream", headers={"X-Accel-Buffering": "no"})

    return app


def _guarded(
    token: str | None,
) -> Callable[[Request, Callable[[Request], Awaitable[Response]]], Awaitable[Response]]:
    """Size, token, headers and a line of log for every request; the log never holds a question."""

    async def guard(request: Request, go_on: Callable[[Request], Awaitable[Response]]) -> Response:
        start, wanted = time.perf_counter(), f"Bearer {token}"
        response: Response
        length = request.headers.get("content-length", "0")
        if (
            not length.isdigit()
            or int(length) > MAX_BODY_BYTES
            or "chunked" in request.headers.get("transfer-encoding", "")
        ):
            response = _problem(413, "body_too_large", "The request is too large or says no length.",
                                f"Send at most {MAX_BODY_BYTES:,} bytes with a Content-Length.")  # fmt: skip
        elif token and request.url.path != "/api/health" and not hmac.compare_digest(
            request.headers.get("authorization", "").encode(), wanted.encode()
        ):  # fmt: skip
            response = _problem(401, "token_missing", "This server asks for a token.", "Send it as a bearer token.")
        else:
            try:
                response = await go_on(request)
            except Exception:
                mark = uuid.uuid4().hex[:12]
                _LOG.exception("fault %s", mark)
                response = JSONResponse({**FAULT, "fault": mark}, status_code=500)
        for name, value in _HEADERS.items():
            response.headers.setdefault(name, value)
        path = "/api/sessions/..." if request.url.path.startswith("/api/sessions/") else request.url.path
        _LOG.info(
            json.dumps({
                "method": request.method, "path": path[:100], "status": response.status_code,
                "ms": round((time.perf_counter() - start) * 1000, 1),
            })
        )  # fmt: skip
        return response

    return guard


def _add_error_handlers(app: FastAPI) -> None:
    @app.exception_handler(CsragError)
    def refused(_request: Request, error: CsragError) -> JSONResponse:
        status = _STATUS.get(error.code, {2: 400, 3: 503}.get(error.exit_code, 500))
        headers = {"Retry-After": _RETRY_S} if status == 503 else None
        return JSONResponse(error_json(error), status_code=status, headers=headers)

    @app.exception_handler(TimeUpError)
    def time_up(_request: Request, _error: TimeUpError) -> JSONResponse:
        return JSONResponse(dict(TIME_UP), status_code=503)

    @app.exception_handler(RequestValidationError)
    def invalid(_request: Request, error: RequestValidationError) -> JSONResponse:
        first = error.errors()[0] if error.errors() else {"loc": (), "msg": "invalid"}
        where = ".".join(str(part) for part in first["loc"] if part != "body") or "the body"
        return _problem(422, "bad_request", f"{where}: {first['msg']}.", "See /api/openapi.json for what is taken.")

    @app.exception_handler(HTTPException)
    def known(_request: Request, error: HTTPException) -> JSONResponse:
        return _problem(error.status_code, "not_found" if error.status_code == 404 else "bad_request", f"{error.detail}.",
                        "See /api/openapi.json for what there is.")  # fmt: skip


def _problem(status: int, code: str, message: str, fix: str) -> JSONResponse:
    return JSONResponse({"code": code, "message": message, "fix": fix}, status_code=status)
