package api

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"runtime/debug"
	"strings"
	"time"
	"unicode/utf8"

	"dossier"
	"dossier/internal/auth"
)

// contentPolicy lets pages load and talk to nothing but this product.
const contentPolicy = "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; " +
	"font-src 'self'; connect-src 'self'; worker-src 'self' blob:; object-src 'none'; base-uri 'none'; " +
	"form-action 'self'; frame-ancestors 'none'"

func (s *Server) secureHeaders(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", contentPolicy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Permissions-Policy", "camera=(self), geolocation=(), microphone=(), payment=()")
		if r.TLS != nil || strings.HasPrefix(s.URL, "https://") {
			h.Set("Strict-Transport-Security", "max-age=31536000")
		}
		h.Set("Cache-Control", "no-store")
		next.ServeHTTP(w, r)
	})
}

// sameOrigin refuses requests that change something and that a browser sent from
// another site. Programs, which are no browsers, pass.
func (s *Server) sameOrigin(next http.Handler) http.Handler {
	p := http.NewCrossOriginProtection()
	if s.URL != "" {
		if err := p.AddTrustedOrigin(origin(s.URL)); err != nil {
			panic(fmt.Sprintf("public URL %q: %v", s.URL, err))
		}
	}
	p.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.fail(w, r, dossier.Errorf(dossier.Forbidden, "This request came from another site and was refused."))
	}))
	return p.Handler(next)
}

// origin is the scheme and host of a URL.
func origin(url string) string {
	scheme, rest, _ := strings.Cut(url, "://")
	host, _, _ := strings.Cut(rest, "/")
	return scheme + "://" + host
}

// legible refuses addresses and keys that hold what is no text: the databases keep none
// of it, and each would say so in its own way.
func (s *Server) legible(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		query, err := url.QueryUnescape(r.URL.RawQuery)
		if err != nil {
			query = "" // what cannot be unescaped reaches nobody
		}
		if !isText(r.URL.Path) || !isText(query) || !isText(r.Header.Get(onceHeader)) {
			s.fail(w, r, dossier.Errorf(dossier.Invalid, "The address or the %s holds a character that is no text.", onceHeader))
			return
		}
		next.ServeHTTP(w, r)
	})
}

// isText reports whether every database can keep s.
func isText(s string) bool { return utf8.ValidString(s) && !strings.ContainsRune(s, 0) }

// identify lets handlers find out who the request is from. Whether that is enough is
// for the operation to say.
func (s *Server) identify(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := &caller{find: func() (auth.Identity, error) {
			id, err := s.Auth.Identify(r)
			seen(r.Context()).by = id.ID
			return id, err
		}}
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), identityKey{}, c)))
	})
}

// forwarded takes the caller's address from the last entry of X-Forwarded-For, which
// the operator's own proxy wrote. Those before it anyone can make up.
func (s *Server) forwarded(next http.Handler) http.Handler {
	if !s.Proxied {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if all := r.Header.Values("X-Forwarded-For"); len(all) > 0 {
			parts := strings.Split(all[len(all)-1], ",")
			if addr := strings.TrimSpace(parts[len(parts)-1]); net.ParseIP(addr) != nil {
				r = r.Clone(r.Context())
				r.RemoteAddr = net.JoinHostPort(addr, "0")
			}
		}
		next.ServeHTTP(w, r)
	})
}

// hostOf is a network address without its port.
func hostOf(addr string) string {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return addr
	}
	return host
}

// A sighting is what the log says about a request. Neither queries nor bodies nor
// headers are in it: they can hold secrets.
type sighting struct {
	by   string
	path string // the operation's, without what stands in its place: that can be a name
}

// of is the path for the log: the operation's, or that of a file of the console. What
// else people put into an address is not repeated.
func (s *sighting) of(r *http.Request) string {
	switch {
	case s.path != "":
		return s.path
	case strings.HasPrefix(r.URL.Path, "/assets/"):
		return r.URL.Path
	}
	first, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	if len(first) > 20 || strings.ContainsFunc(first, func(c rune) bool { return c < 'a' || c > 'z' }) {
		first = "…"
	}
	return "/" + first
}

type sightingKey struct{}

func seen(ctx context.Context) *sighting {
	if s, ok := ctx.Value(sightingKey{}).(*sighting); ok {
		return s
	}
	return &sighting{}
}

// observe logs each request and turns a panic into an answer.
func (s *Server) observe(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := s.Now()
		saw := &sighting{}
		rw := &response{ResponseWriter: w}
		ctx := context.WithValue(r.Context(), sightingKey{}, saw)
		defer func() {
			if v := recover(); v != nil {
				if v == http.ErrAbortHandler {
					panic(v)
				}
				s.Log.ErrorContext(ctx, "request panicked", "path", saw.of(r), "panic", fmt.Sprint(v), "stack", string(debug.Stack()))
				if rw.status == 0 {
					writeProblem(rw, asProblem(dossier.Internal))
				}
			}
			s.Log.DebugContext(ctx, "request", "method", r.Method, "path", saw.of(r), "status", rw.status,
				"took", s.Now().Sub(start).Round(time.Microsecond), "by", saw.by)
		}()
		next.ServeHTTP(rw, r.WithContext(ctx))
	})
}

// A response remembers the status that was sent, and sends it once: an answer that
// breaks off because the caller went away must not begin again as a problem.
type response struct {
	http.ResponseWriter
	status int
}

func (w *response) WriteHeader(code int) {
	if w.status == 0 {
		w.status = code
		w.ResponseWriter.WriteHeader(code)
	}
}

func (w *response) Write(b []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	return w.ResponseWriter.Write(b)
}

// Unwrap lets http.ResponseController reach the connection.
func (w *response) Unwrap() http.ResponseWriter { return w.ResponseWriter }
