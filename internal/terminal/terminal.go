// Package terminal tells what an output can show.
package terminal

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// Is reports whether out, an io.Writer, is a terminal.
func Is(out any) bool { return window(out) != nil }

// window is the window of a terminal; nil if out is none.
func window(out any) *unix.Winsize {
	f, ok := out.(*os.File)
	if !ok {
		return nil
	}
	w, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	if err != nil {
		return nil
	}
	return w
}

// Colored reports whether colours are wanted on out: it is a terminal that knows them, and
// NO_COLOR is not set.
func Colored(out any) bool {
	return Is(out) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

// Width is how many characters a line of out may have: those of a terminal, or what COLUMNS
// says. 0: any number, for out is a file or another program.
func Width(out any) int {
	if Is(out) {
		width, _ := Size(out)
		return width
	}
	if width, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && width > 0 {
		return width
	}
	return 0
}

// Size is the width and height of a terminal in characters, 80 × 24 if it does not tell.
func Size(out any) (width, height int) {
	if w := window(out); w != nil && w.Col > 0 && w.Row > 0 {
		return int(w.Col), int(w.Row)
	}
	return 80, 24
}
