-- Ends the lease of a writer (owner), wakes the waiters and answers 1, or 0 if it has none.
if redis.call('HGET', KEYS[1], 'mode') ~= 'write' or redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then
  return 0
end
redis.call('DEL', KEYS[1])
redis.call('PUBLISH', KEYS[3], '')
return 1
