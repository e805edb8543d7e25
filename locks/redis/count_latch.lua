-- Counts a latch down, whoever asks. One that has come to zero is deleted, and its waiters are told.
local left = redis.call('DECR', KEYS[1])
if left <= 0 then
  redis.call('DEL', KEYS[1])
end
if left == 0 then
  redis.call('PUBLISH', KEYS[2], 'zero')
end
return left
