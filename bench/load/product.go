package load

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"regexp"
)

// A Product is the binary, served over a database, with somebody signed in.
type Product struct {
	URL    string
	Cookie string // of the session

	dir     string
	command *exec.Cmd
}

// Serve starts the binary on a database and signs in someone with these roles,
// separated by commas.
func Serve(ctx context.Context, binary, url, roles string) (*Product, error) {
	dir, err := os.MkdirTemp("", "dossier-bench-")
	if err != nil {
		return nil, err
	}
	p := &Product{dir: dir}
	if err := p.open(ctx, binary, []string{"--data", dir, "--set", "store.url=" + url}, roles); err != nil {
		p.Stop()
		return nil, err
	}
	return p, nil
}

func (p *Product) open(ctx context.Context, binary string, flags []string, roles string) error {
	out, err := exec.CommandContext(ctx, binary, append(flags, "users", "invite", "--role", roles)...).Output()
	if err != nil {
		return fmt.Errorf("invite: %w", err)
	}
	link := regexp.MustCompile(`welcome#(\S+)`).FindSubmatch(out)
	if link == nil {
		return fmt.Errorf("no link in %q", out)
	}
	if err := p.start(ctx, binary, flags); err != nil {
		return err
	}
	return p.enter(ctx, string(link[1]))
}

func (p *Product) start(ctx context.Context, binary string, flags []string) error {
	p.command = exec.CommandContext(ctx, binary, append(flags, "serve", "--addr", "127.0.0.1:0")...)
	out, err := p.command.StderrPipe()
	if err != nil {
		return err
	}
	if err := p.command.Start(); err != nil {
		return err
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if m := regexp.MustCompile(`serves on (http://\S+)`).FindStringSubmatch(lines.Text()); m != nil {
			p.URL = m[1]
			go func() {
				for lines.Scan() { // the product must not wait for a reader
				}
			}()
			return nil
		}
	}
	return errors.New("the product did not start")
}

// Stop ends the binary and removes its folder.
func (p *Product) Stop() {
	if p.command != nil && p.command.Process != nil {
		_ = p.command.Process.Signal(os.Interrupt) // it may have ended
		_ = p.command.Wait()
	}
	_ = os.RemoveAll(p.dir)
}

// Ask makes a request of who is signed in; kind is the content type of the body.
func (p *Product) Ask(method, path, kind string, body []byte) *http.Request {
	r, err := http.NewRequest(method, p.URL+path, bytes.NewReader(body))
	if err != nil {
		panic(fmt.Sprintf("request %s: %v", path, err)) // benchmarks write their paths well
	}
	r.Header.Set("Cookie", p.Cookie)
	if kind != "" {
		r.Header.Set("Content-Type", kind)
	}
	return r
}

// enter makes the account that the link is for and keeps its session.
func (p *Product) enter(ctx context.Context, link string) error {
	body, err := json.Marshal(map[string]string{"link": link, "name": "bench", "password": "correct horse battery"})
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, p.URL+"/api/v1/session/link", bytes.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	for _, c := range res.Cookies() {
		p.Cookie = c.Name + "=" + c.Value
	}
	if p.Cookie == "" {
		return fmt.Errorf("signing in answered %d", res.StatusCode)
	}
	return nil
}
