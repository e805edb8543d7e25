package runs

import (
	"context"
	"io"

	"github.com/spf13/pflag"
)

// A Command is what a command of torture is called with. A *cobra.Command is one.
type Command interface {
	Context() context.Context
	Flags() *pflag.FlagSet
	OutOrStdout() io.Writer
	ErrOrStderr() io.Writer
}
