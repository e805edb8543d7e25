// asynq is one of several replicas of a service, each with asynq's scheduler and a worker. Each
// registers the same task, unique for half its period.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/hibiken/asynq"
)

const period = 4 * time.Second

func main() {
	redis := asynq.RedisClientOpt{Addr: os.Args[1]}
	scheduler := asynq.NewScheduler(redis, &asynq.SchedulerOpts{
		PostEnqueueFunc: func(info *asynq.TaskInfo, err error) {
			if err != nil {
				fmt.Println("not enqueued:", err)
				return
			}
			fmt.Printf("enqueued %s in period %d\n", info.ID, time.Now().UnixNano()/int64(period))
		},
	})
	if _, err := scheduler.Register("@every 4s", asynq.NewTask("report", nil), asynq.Unique(period/2)); err != nil {
		log.Fatal(err)
	}
	if err := scheduler.Start(); err != nil {
		log.Fatal(err)
	}
	mux := asynq.NewServeMux()
	mux.HandleFunc("report", func(ctx context.Context, _ *asynq.Task) error {
		id, _ := asynq.GetTaskID(ctx)
		fmt.Println("begin", id)
		time.Sleep(100 * time.Millisecond)
		fmt.Println("done", id)
		return nil
	})
	if err := asynq.NewServer(redis, asynq.Config{}).Run(mux); err != nil {
		log.Fatal(err)
	}
}
