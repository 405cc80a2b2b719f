package api

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"

	"dossier"
	"dossier/internal/records"
)

const (
	onceHeader = "Idempotency-Key"
	maxOnce    = 1 << 20 // bytes of a request that is carried out once
	maxOnceKey = 200
)

// once carries out a POST with an Idempotency-Key one time and gives every later
// request with the key the same answer. Only answers that say it happened are kept;
// after any other, the key may be used again.
func (s *Server) once(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		key := r.Header.Get(onceHeader)
		if key == "" || r.Method != http.MethodPost {
			next.ServeHTTP(w, r)
			return
		}
		op, by := s.operation(r), who(r.Context()).ID
		if op == nil || by == "" || op.Metadata[streamKey] != nil || s.mayUse(r.Context(), op) != nil {
			next.ServeHTTP(w, r) // which says what is wrong, if something is
			return
		}
		req, err := s.onceRequest(w, r, by, key)
		if err != nil {
			s.fail(w, r, err)
			return
		}
		a, found, err := s.Records.BeginRequest(r.Context(), req)
		if err != nil {
			s.fail(w, r, err)
			return
		}
		if found {
			w.Header().Set("Idempotency-Replayed", "true")
			w.Header().Set("Content-Type", a.Type)
			w.WriteHeader(a.Status)
			_, _ = w.Write(a.Body) // the caller went away if this fails
			return
		}
		s.keepAnswer(w, r, next, req, op.Metadata[secretKey] != nil)
	})
}

func (s *Server) onceRequest(w http.ResponseWriter, r *http.Request, by, key string) (records.Request, error) {
	if len(key) > maxOnceKey {
		return records.Request{}, dossier.Errorf(dossier.Invalid, "An Idempotency-Key can have at most %d characters.", maxOnceKey)
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxOnce))
	if err != nil {
		return records.Request{}, dossier.Errorf(dossier.Invalid, "The request is too large, or broke off.").Because(err)
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	sum := sha256.New()
	_, _ = io.WriteString(sum, r.URL.RequestURI()+"\n") // a hash takes everything
	_, _ = sum.Write(body)
	return records.Request{By: by, Key: key, Digest: hex.EncodeToString(sum.Sum(nil)), At: s.Now()}, nil
}

// keepAnswer lets next answer and remembers what it said.
func (s *Server) keepAnswer(w http.ResponseWriter, r *http.Request, next http.Handler, req records.Request, secret bool) {
	rec := &recorder{response: response{ResponseWriter: w}}
	// The answer is kept even if the caller hangs up while it is made.
	ctx := context.WithoutCancel(r.Context())
	done := false
	defer func() {
		if !done {
			_ = s.Records.ForgetRequest(ctx, req.By, req.Key) // the panic is what gets reported
		}
	}()
	next.ServeHTTP(rec, r)
	done = true
	var err error
	if rec.status >= 200 && rec.status < 300 {
		a := records.Answer{Status: rec.status, Type: w.Header().Get("Content-Type"), Body: rec.body.Bytes()}
		if secret {
			a = secretShown()
		}
		err = s.Records.FinishRequest(ctx, req.By, req.Key, a)
	} else {
		err = s.Records.ForgetRequest(ctx, req.By, req.Key)
	}
	if err != nil {
		s.Log.ErrorContext(ctx, "idempotency key not kept", "err", err)
	}
}

// secretShown is kept instead of an answer with a secret.
func secretShown() records.Answer {
	p := asProblem(dossier.Errorf(dossier.Conflict, "This was done already. The secret was shown once and is not kept."))
	body, _ := json.Marshal(p) // strings and numbers always encode
	return records.Answer{Status: p.Status, Type: "application/problem+json", Body: body}
}

// A recorder passes a response on and keeps a copy.
type recorder struct {
	response
	body bytes.Buffer
}

func (w *recorder) Write(b []byte) (int, error) {
	w.body.Write(b)
	return w.response.Write(b)
}
