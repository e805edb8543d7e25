package browsertest

import (
	"flag"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

var (
	pages    = flag.String("pages", "", "open these pages of real runs, NAME=FILE,…, and keep pictures of them in -pictures")
	pictures = flag.String("pictures", "", "the directory of the pictures")
)

// TestPagesOfRealRuns opens the pages that -pages names at the width of a desk and
// of a phone, light and dark. Of each it keeps a picture of its first screen,
// NAME.png, and with -shots whole pages.
func TestPagesOfRealRuns(t *testing.T) {
	if *pages == "" {
		t.Skip("no -pages: make pictures runs locks and opens their pages")
	}
	for page := range strings.SplitSeq(*pages, ",") {
		name, file, _ := strings.Cut(page, "=")
		path, err := filepath.Abs(file)
		if err != nil {
			t.Fatal(err)
		}
		address := (&url.URL{Scheme: "file", Path: path}).String()
		for _, width := range []int64{1280, 390} {
			for _, scheme := range []string{"light", "dark"} {
				b := open(t, address, chromedp.EmulateViewport(width, 900), colours(scheme))
				b.wait(t, `!window.T || T.ready > 0`)
				fits(t, b, name, width)
				b.shot(t, name+"-"+scheme+"-"+number(float64(width)))
				if *pictures != "" && width == 1280 && scheme == "light" {
					b.picture(t, filepath.Join(*pictures, name+".png"))
				}
			}
		}
	}
}

// picture keeps what the screen shows.
func (b *tab) picture(t *testing.T, path string) {
	t.Helper()
	if err := os.WriteFile(path, get(t, b, chromedp.CaptureScreenshot()), 0o644); err != nil {
		t.Fatal(err)
	}
}
