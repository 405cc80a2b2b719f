package poolpatrol

import (
	"context"
	"html/template"
	"io"
	"net/http"

	"dossier"
	"dossier/apps/poolpatrol/patrol"
	"dossier/internal/app"
)

// page is what a rider sees behind the link in a mail. It needs no script, so that it
// works on any device.
var page = template.Must(template.New("page").Parse(`<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{if .Vanpool}}Your seat in {{.Vanpool}}{{else}}Pool Patrol{{end}}</title>
<style>
body{font:16px/1.5 system-ui,sans-serif;max-width:38rem;margin:2rem auto;padding:0 1rem;color:#1d2733}
h1{font-size:1.4rem}label{display:block;margin:1rem 0 .25rem;font-weight:600}
select,textarea,input{font:inherit;width:100%;box-sizing:border-box;padding:.5rem;border:1px solid #8a97a6;border-radius:6px}
button{font:inherit;margin-top:1rem;padding:.6rem 1.2rem;border:0;border-radius:6px;background:#0b5cad;color:#fff}
.note{padding:.75rem 1rem;background:#eef4fb;border-radius:6px}
@media(prefers-color-scheme:dark){:root{color-scheme:dark}body{background:#0f1318;color:#e6eaef}.note{background:#172433}button{background:#8ab8f0;color:#0f1318}}
</style>
<main>
{{if .Problem}}<h1>This did not work</h1><p class="note" role="alert">{{.Problem}}</p>
{{else if .Done}}<h1>Thank you</h1><p class="note" role="status">We have what you sent and are looking at the records again. You keep your seat meanwhile.</p>
{{else}}<h1>Your seat in {{.Vanpool}}</h1>
<p>If our records about you are wrong, tell us here. A person reads it, and the records are looked at again.</p>
<form method="post" enctype="multipart/form-data">
<label for="about">What is wrong?</label>
<select id="about" name="about"><option value="shift">My shift</option><option value="location">My home</option><option value="other">Something else</option></select>
<label for="statement">In your words</label>
<textarea id="statement" name="statement" rows="6" maxlength="4000"></textarea>
<label for="document">A document, if you have one (PDF, PNG, JPEG or text, at most 5 MB)</label>
<input id="document" name="document" type="file" accept=".pdf,.png,.jpg,.jpeg,.txt">
<button>Send</button>
</form>{{end}}
</main></html>`))

type pageData struct {
	Vanpool, Problem string
	Done             bool
}

// write shows the page. The link is a key, so that nothing may keep or pass it on.
func (d pageData) write(w http.ResponseWriter, status int) {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'")
	w.WriteHeader(status)
	_ = page.Execute(w, d)
}

type riderLink struct {
	URL string `json:"url"`
}

// riderLink makes the rider's own link again for a coordinator, who can also take a
// reply in the rider's name. The case's timeline says that it was made, and for whom.
func (s *server) riderLink(ctx context.Context, by dossier.Principal, thread string) (string, error) {
	t, err := s.patrol.Book.Thread(ctx, thread)
	if err != nil {
		return "", err
	}
	if t.Settled != "" {
		return "", dossier.Errorf(dossier.Conflict, "The matter of %s is settled; there is nothing to send documents to.", t.Employee)
	}
	url, err := s.patrol.Link(t, s.env.Now())
	if err != nil {
		return "", err
	}
	return url, s.env.Desk.Publish(ctx, app.Event{
		Kind: "counter.link", Case: t.Case, By: by.ID, Text: by.Name + " opened the page of " + t.Employee + " for documents and corrections.",
	})
}

func (s *server) counterPage(w http.ResponseWriter, r *http.Request) {
	t, err := s.patrol.Admit(r.Context(), r.PathValue("token"))
	if err != nil {
		pageData{Problem: dossier.Message(err)}.write(w, http.StatusForbidden)
		return
	}
	if t.Settled != "" {
		pageData{Problem: "This matter is closed. Please write to the coordinator."}.write(w, http.StatusConflict)
		return
	}
	pageData{Vanpool: t.Vanpool}.write(w, http.StatusOK)
}

func (s *server) counterForm(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, 6<<20)
	in, err := formCounter(r)
	if err == nil {
		_, err = s.patrol.Counter(r.Context(), r.PathValue("token"), in)
	}
	if err != nil {
		pageData{Problem: dossier.Message(err)}.write(w, http.StatusBadRequest)
		return
	}
	pageData{Done: true}.write(w, http.StatusOK)
}

func formCounter(r *http.Request) (patrol.Counter, error) {
	if err := r.ParseMultipartForm(6 << 20); err != nil {
		return patrol.Counter{}, dossier.Errorf(dossier.Invalid, "The form could not be read. Documents may have at most 5 MB.").Because(err)
	}
	in := patrol.Counter{About: r.FormValue("about"), Statement: r.FormValue("statement")}
	f, head, err := r.FormFile("document")
	if err != nil {
		return in, nil // no document
	}
	defer func() { _ = f.Close() }()
	if in.Document, err = io.ReadAll(io.LimitReader(f, 5<<20+1)); err != nil {
		return in, dossier.Errorf(dossier.Invalid, "The document could not be read.").Because(err)
	}
	in.Name, in.MIME = head.Filename, http.DetectContentType(in.Document)
	if in.MIME == "text/plain; charset=utf-8" {
		in.MIME = "text/plain"
	}
	return in, nil
}
