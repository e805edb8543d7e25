//go:build deps
package deps
import (
 _ "github.com/anishathalye/porcupine"
 _ "github.com/redis/go-redis/v9"
 _ "go.etcd.io/etcd/client/v3"
 _ "go.etcd.io/etcd/client/v3/concurrency"
 _ "github.com/Shopify/toxiproxy/v2"
 _ "github.com/alicebob/miniredis/v2"
 _ "github.com/google/go-cmp/cmp"
 _ "github.com/spf13/cobra"
 _ "github.com/rogpeppe/go-internal/testscript"
 _ "golang.org/x/sys/unix"
 _ "golang.org/x/sync/errgroup"
 _ "golang.org/x/term"
)
