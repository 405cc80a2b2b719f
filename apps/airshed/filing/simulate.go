package filing

import (
	"bytes"
	"io"
	"net/http"
)

// SimulatedEndpoint is the address under which a simulated submission is posted.
const SimulatedEndpoint = "http://caqm.simulated/reports"

// Simulate returns a client whose every request is served by r in this process: the
// whole of an HTTP submission, without a network.
func Simulate(r *Receiver) *http.Client { return &http.Client{Transport: inProcess{r.Handler()}} }

type inProcess struct{ handler http.Handler }

func (t inProcess) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Body == nil {
		req.Body = http.NoBody
	}
	a := &answer{header: http.Header{}, code: http.StatusOK}
	t.handler.ServeHTTP(a, req)
	return &http.Response{
		Status: http.StatusText(a.code), StatusCode: a.code, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: a.header, Body: io.NopCloser(&a.body), ContentLength: int64(a.body.Len()), Request: req,
	}, nil
}

// An answer collects what a handler writes.
type answer struct {
	header http.Header
	code   int
	body   bytes.Buffer
}

func (a *answer) Header() http.Header         { return a.header }
func (a *answer) WriteHeader(code int)        { a.code = code }
func (a *answer) Write(b []byte) (int, error) { return a.body.Write(b) }
