package main

import (
	"bytes"
	"fmt"
	"net/http"

	"dossier/bench/load"
)

func (w *world) get(path string) *http.Request {
	return w.ask(http.MethodGet, path, nil)
}

func (w *world) ask(method, path string, body []byte) *http.Request {
	r, err := http.NewRequest(method, w.url+path, bytes.NewReader(body))
	if err != nil {
		panic(fmt.Sprintf("request %s: %v", path, err)) // the paths below are well formed
	}
	r.Header.Set("Authorization", "Bearer "+string(w.token))
	r.Header.Set("Content-Type", "application/json")
	return r
}

// operations are what is measured, in order. Deciding comes last: it changes things.
func (w *world) operations() []load.Operation {
	some := func(n int) string { return string(w.cases[(n*7919)%len(w.cases)]) }
	return []load.Operation{
		{Name: "list cases", Request: func(int) *http.Request { return w.get("/api/v1/cases?limit=50") }, Want: 200},
		{Name: "list open cases of an app", Request: func(int) *http.Request { return w.get("/api/v1/cases?app=bench&state=open&limit=50") }, Want: 200},
		{Name: "search cases", Request: func(n int) *http.Request {
			return w.get(fmt.Sprintf("/api/v1/cases?q=RIDER-%d&limit=50", (n*7919)%len(w.cases)))
		}, Want: 200},
		{Name: "open case", Request: func(n int) *http.Request { return w.get("/api/v1/cases/" + some(n)) }, Want: 200},
		{Name: "case evidence", Request: func(n int) *http.Request { return w.get("/api/v1/cases/" + some(n) + "/evidence") }, Want: 200},
		{Name: "inbox", Request: func(int) *http.Request { return w.get("/api/v1/approvals?limit=50") }, Want: 200},
		{Name: "decide", Request: func(n int) *http.Request {
			if n >= len(w.asked) {
				return nil
			}
			a := w.asked[n]
			return w.ask(http.MethodPost, "/api/v1/approvals/"+string(a.ID)+"/decision", fmt.Appendf(nil, `{"verb":"approve","digest":%q}`, a.Digest))
		}, Want: 200},
	}
}
