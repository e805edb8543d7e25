// Tells torture app of the runs of a job. Without TORTURE_EVENTS it does nothing.
import http from 'node:http';

// what: begin, try, effect or end. The promise waits for the answer, without a time limit of its own.
export function tell(what, job, key = '', more = {}) {
  const url = process.env.TORTURE_EVENTS;
  if (!url) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const request = http.request(`${url}/${what}`, { method: 'POST' }, (answer) => {
      const ok = answer.statusCode === 200;
      answer.resume().on('end', () => (ok ? resolve() : reject(new Error(`torture: ${answer.statusCode}`))));
    });
    request.on('error', reject).end(JSON.stringify({ job, key: String(key), ...more }));
  });
}
