"""A provider of sign-ins by OpenID Connect; whoever is `user` is signed in unasked."""

from __future__ import annotations

import secrets
import time
from dataclasses import dataclass, field
from typing import Any, Self
from urllib.parse import urlencode

from joserfc import jwt
from joserfc.jwk import RSAKey
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from tests.server import serve, stop

PURPOSE = {"kid": "test", "use": "sig", "alg": "RS256"}
CLIENT = {"client_id": "tandem", "client_secret": "of the test"}


@dataclass
class Provider:
    """Signs in whoever `user` is: the claims of the next token."""

    user: dict[str, Any] = field(default_factory=dict)
    url: str = ""
    _key: RSAKey = field(default_factory=lambda: RSAKey.generate_key(2048, dict(PURPOSE)))
    _nonces: dict[str, str] = field(default_factory=dict)

    def __enter__(self) -> Self:
        routes = [
            Route("/.well-known/openid-configuration", self._discovery),
            Route("/authorize", self._authorize),
            Route("/token", self._token, methods=["POST"]),
            Route("/jwks", self._jwks),
        ]
        self._serving = serve(Starlette(routes=routes))
        port = self._serving[0].servers[0].sockets[0].getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"
        return self

    def __exit__(self, *_: object) -> None:
        stop(*self._serving)

    def secrets(self, port: str = "{port}") -> str:
        """What stands in .streamlit/secrets.toml of an app that uses it."""
        return f"""[auth]
redirect_uri = "http://localhost:{port}/oauth2callback"
cookie_secret = "{secrets.token_hex(32)}"
client_id = "{CLIENT["client_id"]}"
client_secret = "{CLIENT["client_secret"]}"
server_metadata_url = "{self.url}/.well-known/openid-configuration"
"""

    def _discovery(self, request: Request) -> Response:
        places = {
            "authorization_endpoint": "authorize",
            "token_endpoint": "token",
            "jwks_uri": "jwks",
        }
        return JSONResponse({
            "issuer": self.url, **{name: f"{self.url}/{path}" for name, path in places.items()},
            "response_types_supported": ["code"], "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["RS256"],
        })  # fmt: skip

    def _authorize(self, request: Request) -> Response:
        asked, code = request.query_params, secrets.token_urlsafe()
        self._nonces[code] = asked.get("nonce", "")
        back = urlencode({"code": code, "state": asked["state"]})
        return RedirectResponse(f"{asked['redirect_uri']}?{back}", status_code=302)

    async def _token(self, request: Request) -> Response:
        form = await request.form()
        moment = int(time.time())
        nonce = self._nonces.pop(str(form["code"]))
        claims = {"iss": self.url, "aud": CLIENT["client_id"], "iat": moment, "exp": moment + 300,
                  "nonce": nonce, "sub": "1", **self.user}  # fmt: skip
        token = jwt.encode({"alg": "RS256", "kid": "test"}, claims, self._key)
        return JSONResponse({"access_token": "-", "token_type": "Bearer", "id_token": token})

    def _jwks(self, request: Request) -> Response:
        return JSONResponse({"keys": [self._key.as_dict(private=False)]})
