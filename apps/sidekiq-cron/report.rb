# A service whose report is due every five seconds, at each of which sidekiq-cron puts it in the queue once.
require "sidekiq"
require "sidekiq-cron"

$stdout.sync = true
PERIOD = 5

class Report
  include Sidekiq::Worker

  # perform names the report by the period in which it was put in the queue.
  def perform(queued)
    key = (queued / PERIOD).floor
    puts "begin #{key}"
    sleep 0.5
    Sidekiq.redis { |redis| redis.rpush("reports", key.to_s) }
    puts "done #{key}"
  end
end

Sidekiq.configure_server do |config|
  config.options[:cron_poll_interval] = 1
  config.on(:startup) do
    Sidekiq::Cron::Job.load_from_hash!("report" => { "class" => "Report", "cron" => "*/5 * * * * *", "date_as_argument" => true })
    puts "started"
  end
end
