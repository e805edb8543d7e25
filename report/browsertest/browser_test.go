package browsertest

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"locktorture/report/internal/sample"
	"locktorture/report/page"
)

var shots = flag.String("shots", "", "keep screenshots in this directory")

// chromium returns the browser's path; without one the test fails.
func chromium(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Fatal("no chromium on PATH: run make servers, which installs it on Debian and Ubuntu")
	return ""
}

// patience is how long the browser may take for one thing on a machine that is busy.
const patience = 5 * time.Minute

// A tab is one page in a browser of its own, and what went wrong in it.
type tab struct {
	context.Context
	mu       sync.Mutex
	problems []string // console messages, exceptions, requests
}

func (b *tab) problem(format string, args ...any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.problems = append(b.problems, fmt.Sprintf(format, args...))
}

// open starts a browser on a page. When the test ends, it fails if anything
// was written to the console or asked of the network.
func open(t *testing.T, address string, actions ...step) *tab {
	t.Helper()
	ctx, stopBrowser := launch(t)
	b := &tab{Context: ctx}
	t.Cleanup(func() {
		if err := chromedp.Cancel(ctx); err != nil { // waits for the browser, so that its directory can be removed
			t.Errorf("close the browser: %v", err)
		}
		stopBrowser()
		b.mu.Lock()
		defer b.mu.Unlock()
		for _, p := range b.problems {
			t.Errorf("browser: %s", p)
		}
	})
	if err := chromedp.Listen(ctx, b.listen(address)); err != nil {
		t.Fatal(err)
	}
	if _, err := chromedp.Call(ctx, log.Enable, cdp.Empty{}); err != nil {
		t.Fatal(err)
	}
	b.do(t, append(actions, chromedp.Navigate(address))...)
	return b
}

// launches is how often a browser may crash as it starts, before it has seen a page. Debian's
// chromium 148 did in 2 of about 60 starts beside other tests, with a stack that its own crash
// handler could not read.
const launches = 3

// launch starts a browser that tells of its requests.
func launch(t *testing.T) (ctx context.Context, stop context.CancelFunc) {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(chromium(t)), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-sync", true),
		// Twenty seconds, the default, is too short for a browser that starts beside other tests.
		chromedp.WSURLReadTimeout(patience),
		// A click goes to where its element was: nothing may still glide there.
		chromedp.Flag("force-prefers-reduced-motion", true))
	for n := 1; ; n++ {
		dir := browserDir(t)
		options := append(slices.Clone(options), chromedp.UserDataDir(filepath.Join(dir, "profile")), chromedp.Env("TMPDIR="+dir))
		ctx, stop = chromedp.NewExecAllocator(context.WithoutCancel(t.Context()), options...) // the clean-up outlives the test's context
		ctx, _ = chromedp.NewContext(ctx)
		_, err := chromedp.Call(ctx, network.Enable, network.EnableParams{})
		if err == nil {
			return ctx, stop
		}
		_ = chromedp.Cancel(ctx)
		stop()
		if n == launches || !strings.Contains(err.Error(), "chrome failed to start") {
			t.Fatal(err)
		}
		t.Logf("the browser has crashed as it started, and is started again: %v", err)
	}
}

// browserDir returns a directory for all files of a browser, which leaves some in the system's
// temporary directory otherwise. Its name is short: the browser puts a socket into it, and the
// address of a socket has at most 107 bytes.
func browserDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "browser")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}

func (b *tab) listen(address string) func(any) {
	return func(event any) {
		switch e := event.(type) {
		case *network.EventRequestWillBeSent:
			// A page of the server under test may lead to another of its pages.
			own := e.Request.URL == address || strings.HasPrefix(address, "http") && strings.HasPrefix(e.Request.URL, address) && e.Type == network.ResourceTypeDocument
			// The pages of a site lead to each other, and share one file of rules.
			folder, _, _ := strings.Cut(address, "index.html")
			own = own || strings.HasPrefix(address, "file:") && strings.HasPrefix(e.Request.URL, folder) && (e.Type == network.ResourceTypeDocument || strings.HasSuffix(e.Request.URL, "/style.css"))
			if !own && !strings.HasPrefix(e.Request.URL, "data:") {
				b.problem("request for %s", e.Request.URL)
			}
		case *runtime.EventConsoleAPICalled:
			b.problem("console %s: %v", e.Type, e.Args)
		case *runtime.EventExceptionThrown:
			b.problem("exception: %s %v", e.ExceptionDetails.Text, e.ExceptionDetails.Exception)
		case *log.EventEntryAdded:
			b.problem("log: %s %s", e.Entry.Level, e.Entry.Text)
		}
	}
}

// forgive forgets what the browser has complained of so far.
func (b *tab) forgive() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.problems = nil
}

// A step is something that is done in a browser.
type step = chromedp.Action[chromedp.Void]

// do runs steps and ends the test if one fails.
func (b *tab) do(t *testing.T, steps ...step) {
	t.Helper()
	ctx, cancel := context.WithTimeout(b, patience)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		t.Fatal(err)
	}
}

// get runs an action that has a value.
func get[T any](t *testing.T, b *tab, action chromedp.Action[T]) T {
	t.Helper()
	ctx, cancel := context.WithTimeout(b, patience)
	defer cancel()
	v, err := chromedp.Run(ctx, action)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// value evaluates an expression of the page.
func value[T any](t *testing.T, b *tab, expression string) T {
	t.Helper()
	return get(t, b, chromedp.Evaluate[T](expression))
}

// wait returns once the expression is true, also if the page changes
// meanwhile, and ends the test if that takes too long.
func (b *tab) wait(t *testing.T, expression string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(b, patience)
	defer cancel()
	again := time.NewTicker(30 * time.Millisecond)
	defer again.Stop()
	safely := "(() => { try { return !!(" + expression + ") } catch { return false } })()"
	for {
		if done, err := chromedp.Run(ctx, chromedp.Evaluate[bool](safely)); err == nil && done {
			return
		}
		select {
		case <-ctx.Done():
			t.Fatalf("%s never became true", expression)
		case <-again.C:
		}
	}
}

// shot keeps a screenshot of the whole page if the flag asks for it.
func (b *tab) shot(t *testing.T, name string) {
	t.Helper()
	if *shots == "" {
		return
	}
	png := get(t, b, chromedp.FullScreenshot(100))
	if err := os.WriteFile(filepath.Join(*shots, name+".png"), png, 0o644); err != nil {
		t.Fatal(err)
	}
}

// write makes the report of a sample and returns its address and size.
func write(t *testing.T, shape sample.Shape) (address string, size int) {
	t.Helper()
	run, res, h := shape.Make()
	var html bytes.Buffer
	if err := page.Write(&html, run, res, h); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(path, html.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return (&url.URL{Scheme: "file", Path: path}).String(), html.Len()
}
