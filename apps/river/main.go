// river is one of several replicas of a service that uses River: each works off jobs, and whoever
// leads puts one periodic job in the queue every two seconds.
//
//	river migrate    makes River's tables
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
)

// report is the periodic job.
type report struct{}

func (report) Kind() string { return "report" }

// period is its schedule: a job is due at each even second, whoever leads.
type period time.Duration

func (p period) Next(t time.Time) time.Time {
	return t.Truncate(time.Duration(p)).Add(time.Duration(p))
}

type worker struct {
	river.WorkerDefaults[report]
}

// Work names the job by when it was due.
func (worker) Work(_ context.Context, job *river.Job[report]) error {
	fmt.Printf("done %s, job %d\n", job.ScheduledAt.UTC().Format(time.TimeOnly), job.ID)
	return nil
}

func main() {
	ctx := context.Background()
	pool, err := pgxpool.New(ctx, os.Getenv("DATABASE_URL"))
	if err != nil {
		log.Fatal(err)
	}
	driver := riverpgxv5.New(pool)
	if len(os.Args) > 1 {
		migrator, err := rivermigrate.New(driver, nil)
		if err == nil {
			_, err = migrator.Migrate(ctx, rivermigrate.DirectionUp, nil)
		}
		if err != nil {
			log.Fatal(err)
		}
		return
	}
	workers := river.NewWorkers()
	river.AddWorker(workers, worker{})
	client, err := river.NewClient(driver, &river.Config{
		Queues:  map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: 10}},
		Workers: workers,
		PeriodicJobs: []*river.PeriodicJob{river.NewPeriodicJob(period(2*time.Second),
			func() (river.JobArgs, *river.InsertOpts) { return report{}, nil }, nil)},
	})
	if err != nil {
		log.Fatal(err)
	}
	if err := client.Start(ctx); err != nil {
		log.Fatal(err)
	}
	fmt.Println("started")
	<-client.Stopped()
}
