package provider

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// A transport sees what the libraries above it lose: how long a provider asked to
// wait, and for Gemini an answer without usage, on which the library panics.
type transport struct {
	base   http.RoundTripper
	gemini bool
}

type waitKey struct{}

// withWait returns a context in which the transport notes how long to wait.
func withWait(ctx context.Context, d *time.Duration) context.Context {
	return context.WithValue(ctx, waitKey{}, d)
}

// RoundTrip implements http.RoundTripper.
func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := t.base.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if d, ok := r.Context().Value(waitKey{}).(*time.Duration); ok {
		if s, err := strconv.ParseFloat(resp.Header.Get("Retry-After"), 64); err == nil && s > 0 {
			*d = time.Duration(s * float64(time.Second))
		}
	}
	if t.gemini && resp.StatusCode == http.StatusOK && strings.HasPrefix(resp.Header.Get("Content-Type"), "application/json") {
		return withUsage(resp)
	}
	return resp, nil
}

// withUsage adds empty usage to an answer of Gemini that has none.
func withUsage(resp *http.Response) (*http.Response, error) {
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	if err := resp.Body.Close(); err != nil {
		return nil, err
	}
	var answer map[string]json.RawMessage
	if json.Unmarshal(body, &answer) == nil && answer["candidates"] != nil && answer["usageMetadata"] == nil {
		answer["usageMetadata"] = json.RawMessage("{}")
		if fixed, err := json.Marshal(answer); err == nil {
			body = fixed
		}
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	resp.ContentLength = int64(len(body))
	resp.Header.Del("Content-Length")
	return resp, nil
}
