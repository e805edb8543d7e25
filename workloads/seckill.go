package workloads

import (
	"context"
	"fmt"
	"math/rand/v2"

	"locktorture/internal/wire"
)

// A Seckill is a flash sale: few units, many users, one order for each user. When a sale is sold
// out the next one starts, so that a run of any length continues to sell. The keys of a lock:
//
//	<lock>/sale               number of the current sale, from 1
//	<lock>/stock/<n>          units left in sale n
//	<lock>/order/<n>/<user>   order id of the user in sale n
//
// A section takes the unit first and then writes the order, and it fills the stock of a new sale
// before it opens the sale. A section that is cut may waste a unit but never sells one twice: sold
// + left ≤ initial, always.
type Seckill struct {
	Config
	Units int // units in each sale; default 100
	Users int // number of users; default 3 × Units
}

var _ Workload = Seckill{}

// SaleKey returns the key with the number of the current sale.
func SaleKey(lock string) string { return wire.Key(lock, "sale") }

// StockKey returns the key with the remaining units of a sale.
func StockKey(lock string, sale int) string { return wire.Key(lock, fmt.Sprintf("stock/%d", sale)) }

// OrderKey returns the key with the id of a user's order in a sale.
func OrderKey(lock string, sale, user int) string {
	return wire.Key(lock, fmt.Sprintf("order/%d/%d", sale, user))
}

// units returns the initial stock of each sale.
func (k Seckill) units() int {
	if k.Units <= 0 {
		return 100
	}
	return k.Units
}

// users returns the number of users.
func (k Seckill) users() int {
	if k.Users <= 0 {
		return 3 * k.units()
	}
	return k.Users
}

// Init opens sale 1 of every lock.
func (k Seckill) Init(ctx context.Context, s Store) error {
	for _, lock := range k.locks("seckill") {
		if err := k.open(ctx, s, lock, 1); err != nil {
			return err
		}
	}
	return nil
}

// Next draws the lock, the time that the work takes, the user and the order id.
func (k Seckill) Next(r *rand.Rand, process int) Section {
	lock, section := k.section(r, "seckill")
	user := 1 + r.IntN(k.users())
	order := fmt.Sprintf("p%d-%08x", process, r.Uint32())
	section.Run = func(ctx context.Context, s Store) error {
		sale, err := readInt(ctx, s, SaleKey(lock))
		if err != nil {
			return err
		}
		left, err := readInt(ctx, s, StockKey(lock, sale))
		if err != nil {
			return err
		}
		if left <= 0 {
			return k.open(ctx, s, lock, sale+1)
		}
		return buy(ctx, s, StockKey(lock, sale), left, OrderKey(lock, sale, user), order)
	}
	return section
}

// open fills the stock of a sale, and then makes it the current one.
func (k Seckill) open(ctx context.Context, s Store, lock string, sale int) error {
	if err := writeInt(ctx, s, StockKey(lock, sale), k.units()); err != nil {
		return err
	}
	return writeInt(ctx, s, SaleKey(lock), sale)
}

// buy takes one of the remaining units and writes the order, unless the user has an order.
func buy(ctx context.Context, s Store, stockKey string, left int, orderKey, order string) error {
	old, err := s.Read(ctx, orderKey)
	if err != nil || old != "" {
		return err
	}
	if err := writeInt(ctx, s, stockKey, left-1); err != nil {
		return err
	}
	return s.Write(ctx, orderKey, order)
}
