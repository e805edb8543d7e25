-- Removes waiters whose time-out is over from the head of the queue.
local function forget_stale(queue, timeouts, now)
  while true do
    local first = redis.call('LINDEX', queue, 0)
    if not first then
      return
    end
    local timeout = redis.call('ZSCORE', timeouts, first)
    if timeout and tonumber(timeout) > now then
      return
    end
    redis.call('LPOP', queue)
    redis.call('ZREM', timeouts, first)
  end
end
