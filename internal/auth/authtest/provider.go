// Package authtest plays an identity provider for tests.
//
// A [Provider] speaks OpenID Connect over HTTP on this machine: it publishes its
// description and its key, and gives a signed ID token for the code "good". What the
// token says is the test's to choose, wrong things among them. Nothing but tests may
// use it.
package authtest

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"
)

// Claims are what an ID token says about a person.
type Claims struct {
	Issuer   string   `json:"iss"` // "": the provider
	Audience string   `json:"aud"`
	Subject  string   `json:"sub"`
	Nonce    string   `json:"nonce"` // "": the one that was asked with
	Issued   int64    `json:"iat"`
	Expires  int64    `json:"exp"`
	Name     string   `json:"name,omitempty"`
	Username string   `json:"preferred_username,omitempty"`
	Email    string   `json:"email,omitempty"`
	Groups   []string `json:"groups"`
	Group    string   `json:"group,omitempty"` // for a claim that is one name
}

// A Provider is an OpenID Connect provider with one person and the client "dossier".
type Provider struct {
	*httptest.Server
	Claims Claims
	Asked  url.Values // the last authorisation request
	Form   url.Values // the last token request

	key *rsa.PrivateKey
}

// NewProvider starts a provider whose tokens are good for an hour from now.
func NewProvider(t testing.TB, now time.Time) *Provider {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	p := &Provider{key: key, Claims: Claims{
		Audience: "dossier", Subject: "s-1", Issued: now.Unix(), Expires: now.Add(time.Hour).Unix(), Groups: []string{},
	}}
	mux := http.NewServeMux()
	mux.HandleFunc("/.well-known/openid-configuration", p.describe)
	mux.HandleFunc("/keys", p.keys)
	mux.HandleFunc("/token", p.token)
	p.Server = httptest.NewServer(mux)
	t.Cleanup(p.Close)
	return p
}

// Visit takes the address that a browser is sent to and remembers what it asks for.
func (p *Provider) Visit(t testing.TB, address string) {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	p.Asked = u.Query()
}

func answer(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v) // the test ends if nobody reads it
}

func (p *Provider) describe(w http.ResponseWriter, _ *http.Request) {
	answer(w, struct {
		Issuer string   `json:"issuer"`
		Auth   string   `json:"authorization_endpoint"`
		Token  string   `json:"token_endpoint"`
		Keys   string   `json:"jwks_uri"`
		Algs   []string `json:"id_token_signing_alg_values_supported"`
	}{p.URL, p.URL + "/auth", p.URL + "/token", p.URL + "/keys", []string{"RS256"}})
}

func (p *Provider) keys(w http.ResponseWriter, _ *http.Request) {
	b64 := base64.RawURLEncoding.EncodeToString
	answer(w, map[string][]map[string]string{"keys": {{
		"kty": "RSA", "kid": "1", "alg": "RS256", "use": "sig",
		"n": b64(p.key.N.Bytes()), "e": b64(big.NewInt(int64(p.key.E)).Bytes()),
	}}})
}

func (p *Provider) token(w http.ResponseWriter, r *http.Request) {
	if err := r.ParseForm(); err != nil || r.Form.Get("code") != "good" {
		w.WriteHeader(http.StatusBadRequest)
		answer(w, map[string]string{"error": "invalid_grant"})
		return
	}
	p.Form = r.Form
	answer(w, map[string]string{"access_token": "at", "token_type": "Bearer", "id_token": p.idToken()})
}

func (p *Provider) idToken() string {
	c := p.Claims
	if c.Issuer == "" {
		c.Issuer = p.URL
	}
	if c.Nonce == "" {
		c.Nonce = p.Asked.Get("nonce")
	}
	b64 := base64.RawURLEncoding.EncodeToString
	body, err := json.Marshal(c)
	if err != nil {
		panic(err) // strings and numbers always encode
	}
	text := b64([]byte(`{"alg":"RS256","kid":"1"}`)) + "." + b64(body)
	sum := sha256.Sum256([]byte(text))
	sig, err := rsa.SignPKCS1v15(rand.Reader, p.key, crypto.SHA256, sum[:])
	if err != nil {
		panic(err) // the key was just made
	}
	return text + "." + b64(sig)
}
