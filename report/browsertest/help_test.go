package browsertest

import (
	"context"
	"strconv"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

func number(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// mouse returns one event of the left button.
func mouse(kind input.DispatchMouseEventType, x, y float64) step {
	return chromedp.MouseEvent(kind, x, y, chromedp.ButtonLeft, chromedp.ClickCount(1), func(p *input.DispatchMouseEventParams) { p.Buttons = 1 })
}

// choose picks an option of a select element as a user does.
func choose(selector, value string) step {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := chromedp.Evaluate[bool]("(() => { const e = document.querySelector(\""+selector+"\"); e.value = \""+value+"\"; return e.dispatchEvent(new Event(\"change\")); })()")(ctx, t)
		return err
	})
}

// colours makes the page believe that its reader prefers light or dark.
func colours(scheme string) step {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		features := []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}
		_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: features})
		return err
	})
}

// media makes the page believe that it is printed.
func media(kind string) step {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: kind})
		return err
	})
}

// middle of the timeline's canvas, on the screen.
func middle(t *testing.T, b *tab) (x, y float64) {
	t.Helper()
	at := value[[]float64](t, b, `(() => { const r = T.state.canvas.getBoundingClientRect(); return [r.left + r.width / 2, r.top + 100]; })()`)
	return at[0], at[1]
}

// pixels returns what the timeline shows.
func pixels(t *testing.T, b *tab) string {
	t.Helper()
	return value[string](t, b, `(T.draw(T.state), T.state.canvas.toDataURL())`)
}
