package api

import (
	"bytes"
	"errors"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"regexp"
	"strings"
	"time"

	"dossier"
)

// hashed are the names that the console's build gives to files whose content never
// changes under the same name.
var hashed = regexp.MustCompile(`^assets/.+-[A-Za-z0-9_-]{8,}\.[a-z0-9]+$`)

// console serves the built console. Pages are never cached and hashed assets for a
// month; a path that is no file is a page of the console, which finds its own way.
func (s *Server) console() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			s.fail(w, r, dossier.Errorf(dossier.NotFound, "There is nothing at this path with this method."))
			return
		}
		name := strings.TrimPrefix(path.Clean(r.URL.Path), "/")
		text, err := fs.ReadFile(s.Console, name)
		if name == "" || errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrInvalid) || isFolder(s.Console, name) {
			if strings.HasPrefix(name, "assets/") {
				s.fail(w, r, dossier.Errorf(dossier.NotFound, "The console has no such file. Reload the page."))
				return
			}
			name = "index.html"
			text, err = fs.ReadFile(s.Console, name)
		}
		if err != nil {
			s.fail(w, r, dossier.Errorf(dossier.Internal, "The console cannot be read.").Because(err))
			return
		}
		w.Header().Set("Cache-Control", cachePolicy(name))
		if t := mime.TypeByExtension(path.Ext(name)); t != "" {
			w.Header().Set("Content-Type", t)
		}
		http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(text))
	})
}

func isFolder(files fs.FS, name string) bool {
	info, err := fs.Stat(files, name)
	return err == nil && info.IsDir()
}

func cachePolicy(name string) string {
	switch {
	case path.Ext(name) == ".html":
		return "no-store"
	case hashed.MatchString(name):
		return "public, max-age=2592000, immutable"
	default:
		return "public, max-age=3600"
	}
}
