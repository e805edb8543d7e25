-- Sets the count of a latch, unless it has one.
if redis.call('EXISTS', KEYS[1]) == 0 then
  redis.call('SET', KEYS[1], ARGV[1])
  redis.call('PUBLISH', KEYS[2], 'new')
  return 1
end
return 0
