// The beacon workload by hand, as a yardstick: a calendar queue, one event for every reception, and the rule of
// engine/layers/spanning_tree.py on flat arrays. It draws the engine's random numbers, so it plays the very same events.
//
// Standard input: n; then for every node one line, the nodes it hears, in order; then points of virtual time, one a line.
// To each of these it plays, and answers with one line: events so far, CPU seconds spent on them, sum of all distances.

#include <cstdint>
#include <ctime>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

static const double DELAY_S = 0.01, PERIOD_S = 1.0, JITTER = 0.1;
static const int NONE = -1, TIMER = -1, ROOT = 0;
static const uint64_t SEED = 1, GOLD = 0x9E3779B97F4A7C15;

struct Event {
    double t;
    int next;                // in its bucket, or in the list of free ones
    int node, slot;          // slot TIMER: send the next beacon; else heard there
    int root, dist, parent;  // the beacon
};

struct Heard {
    int root, dist, child;
};

struct Way {
    int node, slot;  // whom a slot leads to, and as which slot it is heard there
};

static uint64_t mix(uint64_t z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
}

static uint64_t stream_key(int node) {
    uint64_t h = 0xCBF29CE484222325;
    for (char byte : std::string("timer")) h = (h ^ (unsigned char)byte) * 0x100000001B3;
    return mix(mix(SEED ^ h) + node * GOLD);
}

// Buckets of time around a circle, each a list in order of time; equal times stay in the order they came.
struct Calendar {
    std::vector<Event> pool;
    std::vector<int> first, last;
    double inverse;  // buckets a second
    int64_t lap = 0, mask;
    int free = NONE;

    explicit Calendar(double rate) : inverse(rate) {
        size_t size = 64;
        while (size < 1.5 * rate) size *= 2;
        first.assign(size, NONE);
        last.assign(size, NONE);
        mask = size - 1;
    }

    int64_t lap_of(double t) const { return (int64_t)(t * inverse); }

    void push(const Event& event) {
        int x = free;
        if (x == NONE) {
            x = pool.size();
            pool.push_back(event);
        } else {
            free = pool[x].next;
            pool[x] = event;
        }
        pool[x].next = NONE;
        const int64_t b = lap_of(event.t) & mask;
        if (first[b] == NONE) {
            first[b] = last[b] = x;
        } else if (pool[last[b]].t <= event.t) {  // nearly always
            pool[last[b]].next = x;
            last[b] = x;
        } else {
            int* at = &first[b];
            while (pool[*at].t <= event.t) at = &pool[*at].next;
            pool[x].next = *at;
            *at = x;
        }
    }

    // The next event up to `until`, taken out; false if there is none. The queue is never empty: timers go on for ever.
    bool pop(double until, Event& event) {
        for (;; lap++) {
            const int x = first[lap & mask];
            if (x == NONE || lap_of(pool[x].t) != lap) {
                if (lap > lap_of(until)) return false;
                continue;
            }
            if (pool[x].t > until) return false;
            event = pool[x];
            first[lap & mask] = event.next;
            pool[x].next = free;
            free = x;
            return true;
        }
    }
};

struct Network {
    int n;
    std::vector<int> offset;  // of a node's slots
    std::vector<Way> way;
    std::vector<Heard> heard;
    std::vector<int> dist;
    std::vector<uint64_t> key, drawn;
    int64_t events = 0;
    Calendar queue;

    Network(const std::vector<std::vector<int>>& peers, double rate) : n(peers.size()), queue(rate) {
        offset.push_back(0);
        for (const auto& row : peers) offset.push_back(offset.back() + row.size());
        for (int v = 0; v < n; v++) {
            for (int w : peers[v]) {
                int slot = 0;
                while (peers[w][slot] != v) slot++;
                way.push_back({w, slot});
            }
        }
        heard.assign(way.size(), {NONE, 0, 0});
        dist.assign(n, 0);
        drawn.assign(n, 0);
        for (int v = 0; v < n; v++) {
            key.push_back(stream_key(v));
            queue.push({PERIOD_S * uniform(v), NONE, v, TIMER, 0, 0, 0});
        }
    }

    double uniform(int v) { return (mix(key[v] + ++drawn[v] * GOLD) >> 11) * (1.0 / (1ull << 53)); }

    void beacon(double t, int v) {
        int root = v, hops = 0, parent = NONE, best = v == ROOT ? NONE : v;
        const Heard* row = &heard[offset[v]];
        const Way* to = &way[offset[v]];
        const int degree = offset[v + 1] - offset[v];
        for (int j = 0; j < degree; j++) {
            if (row[j].child || row[j].dist >= n || row[j].root == NONE) continue;
            const int senior = row[j].root == ROOT ? NONE : row[j].root;
            if (senior < best || (senior == best && row[j].dist + 1 < hops)) {
                root = row[j].root, hops = row[j].dist + 1, parent = j, best = senior;
            }
        }
        dist[v] = hops;
        const int named = parent == NONE ? NONE : to[parent].node;
        for (int j = 0; j < degree; j++) queue.push({t + DELAY_S, NONE, to[j].node, to[j].slot, root, hops, named});
        queue.push({t + PERIOD_S * ((1 - JITTER) + 2 * JITTER * uniform(v)), NONE, v, TIMER, 0, 0, 0});
    }

    void run(double until) {
        Event e;
        while (queue.pop(until, e)) {
            events++;
            if (e.slot == TIMER) {
                beacon(e.t, e.node);
            } else {
                heard[offset[e.node] + e.slot] = {e.root, e.dist, e.parent == e.node};
            }
        }
    }
};

static double cpu_s() {
    timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return now.tv_sec + now.tv_nsec * 1e-9;
}

int main() {
    std::string line;
    std::getline(std::cin, line);
    std::vector<std::vector<int>> peers(std::stoi(line));
    for (auto& row : peers) {
        std::getline(std::cin, line);
        std::istringstream words(line);
        for (int w; words >> w;) row.push_back(w);
    }
    Network network(peers, 4.0 * peers.size() / PERIOD_S);  // the fastest of several: all of a beacon's receptions fall due at once
    double spent = 0, until;
    while (std::cin >> until) {
        const double begin = cpu_s();
        network.run(until);
        spent += cpu_s() - begin;
        int64_t sum = 0;
        for (int hops : network.dist) sum += hops;
        std::cout << network.events << ' ' << spent << ' ' << sum << std::endl;
    }
}
