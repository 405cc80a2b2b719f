package main

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/jpeg"
	"mime/multipart"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"dossier/apps/gatepass"
	"dossier/apps/gatepass/pass"
	"dossier/bench/load"
	"dossier/internal/store"
)

// A product is the binary, served over a filled database.
type product struct {
	*load.Product
	photo  []byte
	year   int
	passes int
}

// start fills a database and serves the binary on it.
func start(ctx context.Context, binary, url string, passes int) (*product, error) {
	if err := fill(ctx, url, passes); err != nil {
		return nil, fmt.Errorf("fill: %w", err)
	}
	var photo bytes.Buffer
	if err := jpeg.Encode(&photo, image.NewGray(image.Rect(0, 0, 480, 640)), nil); err != nil {
		return nil, err
	}
	served, err := load.Serve(ctx, binary, url, "hr,passadmin,gate")
	if err != nil {
		return nil, err
	}
	return &product{served, photo.Bytes(), time.Now().In(time.FixedZone("IST", 19800)).Year(), passes}, nil
}

// first and last name the people of the stored passes, a hundred of each.
func first(i int) string { return fmt.Sprintf("Ravi%c%c", 'a'+i%10, 'a'+i/10%10) }
func last(i int) string  { return fmt.Sprintf("Kumar%c%c", 'a'+i%10, 'a'+i/10%10) }

// fill writes passes of last year, most of them returned, unless they are there.
func fill(ctx context.Context, url string, passes int) error {
	st, err := store.Open(ctx, store.Options{URL: url, Now: time.Now})
	if err != nil {
		return err
	}
	defer st.Close()
	if err := st.Migrate(ctx, "gatepass", gatepass.App.Files); err != nil {
		return err
	}
	const batch = 500
	at := time.Now().Add(-400 * 24 * time.Hour).UnixMicro()
	for from := 1; from <= passes; from += batch {
		var rows, words []string
		for i := from; i < min(from+batch, passes+1); i++ {
			ord := int64(2020)*10_000_000 + int64(i)
			f, l := first(i), last(i/100)
			status := []string{"returned", "returned", "returned", "exited", "rejected"}[i%5]
			rows = append(rows, fmt.Sprintf("(%d, 'pass-f%07x', '%s', '%s %s %d', 'bank', %d, '%s', %d, 'bench', %d)", ord, i, pass.Number(2020, i), f, l, i, i%2, status, at, at))
			words = append(words, fmt.Sprintf("('%s', %d), ('%s', %d), ('%d', %d), ('bank', %d)", strings.ToLower(f), ord, strings.ToLower(l), ord, i, ord, ord))
		}
		err := st.Within(ctx, func(ctx context.Context) error {
			if _, err := st.DB().Exec(ctx, `INSERT INTO gatepass_passes (ord, id, number, person, purpose, returnable, status, created_at, created_by, exit_at) VALUES `+strings.Join(rows, ", ")); err != nil {
				return err
			}
			_, err := st.DB().Exec(ctx, `INSERT INTO gatepass_words (word, ord) VALUES `+strings.Join(words, ", "))
			return err
		})
		if err != nil {
			return err
		}
	}
	for _, table := range []string{"gatepass_passes", "gatepass_words"} { // as both databases do by themselves in time
		if _, err := st.DB().Exec(ctx, "ANALYZE "+table); err != nil {
			return err
		}
	}
	return nil
}

func (p *product) ask(method, path, kind string, body []byte, n int) *http.Request {
	r := p.Ask(method, path, kind, body)
	if kind != "" {
		r.Header.Set("Idempotency-Key", fmt.Sprintf("%s-%d", path, n))
	}
	return r
}

func (p *product) scan(n int) *http.Request {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	_ = w.WriteField("pass_number", pass.Number(p.year, n+1)) // memory takes everything
	f, _ := w.CreateFormFile("photo", "photo.jpg")
	_, _ = f.Write(p.photo)
	_ = w.Close()
	return p.ask(http.MethodPost, "/gate/scan-exit", w.FormDataContentType(), b.Bytes(), n)
}

// operations are what is measured, in order: what is approved was created before.
func (p *product) operations() []load.Operation {
	get := func(path string) func(int) *http.Request {
		return func(n int) *http.Request { return p.ask(http.MethodGet, path, "", nil, n) }
	}
	var made, approved atomic.Int64 // how many were asked for
	return []load.Operation{
		{Name: "list", Request: get("/hr/gatepass/list"), Want: 200},
		{Name: "list returned", Request: get("/hr/gatepass/list?status=returned"), Want: 200},
		{Name: "who is out", Request: get("/gate/out"), Want: 200},
		{Name: "search, one hit", Request: func(n int) *http.Request {
			return p.ask(http.MethodGet, fmt.Sprintf("/hr/gatepass/list?search=%d", 1+n*7919%p.passes), "", nil, n)
		}, Want: 200},
		{Name: "search, a common name", Request: func(n int) *http.Request {
			return p.ask(http.MethodGet, "/hr/gatepass/list?search="+first(n)+"+"+last(n/7), "", nil, n)
		}, Want: 200},
		{Name: "show by number", Request: func(n int) *http.Request {
			return p.ask(http.MethodGet, "/gate/gatepass/number/"+pass.Number(2020, 1+n*7919%p.passes), "", nil, n)
		}, Want: 200},
		{Name: "create", Request: func(n int) *http.Request {
			made.Add(1)
			return p.ask(http.MethodPost, "/hr/gatepass/create", "application/json", fmt.Appendf(nil, `{"person_name":"Ravi %d","description":"bank","is_returnable":true}`, n), n)
		}, Want: 201},
		{Name: "approve", Request: func(n int) *http.Request {
			if n >= int(made.Load())-64 {
				return nil
			}
			approved.Add(1)
			return p.ask(http.MethodPost, "/admin/gatepass/"+pass.Number(p.year, n+1)+"/approve", "application/json", []byte(`{}`), n)
		}, Want: 200},
		{Name: "scan out with a photo", Request: func(n int) *http.Request {
			if n >= int(approved.Load())-64 {
				return nil
			}
			return p.scan(n)
		}, Want: 200},
	}
}
