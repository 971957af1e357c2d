package io.uniserve.benchmark.servers;

import java.util.List;

/**
 * Measurements of one table on a cluster of one size.
 *
 * @param placeSeconds from the request for a table until all its replicas are in sync
 * @param all queries of all actors
 * @param one queries of one actor
 * @param residentMb resident memory of a server: mean
 * @param threads threads of a server: mean
 * @param idle without queries
 * @param failover after SIGKILL of one server
 */
record GrowthResult(
        int servers,
        int actors,
        double startSeconds,
        double placeSeconds,
        QueryCost all,
        QueryCost one,
        double residentMb,
        double threads,
        IdleCost idle,
        Failover failover) {
    /**
     * Cost of queries by clients in a closed loop.
     *
     * @param serverMillis CPU of all servers in milliseconds
     * @param clientMillis CPU of this process in milliseconds
     * @param zooKeeperPerSecond requests that ZooKeeper received per second
     */
    record QueryCost(
            long queries,
            long failed,
            long wrong,
            List<String> messages,
            double perSecond,
            double p50Millis,
            double serverMillis,
            double clientMillis,
            double zooKeeperPerSecond) {
        QueryCost {
            messages = List.copyOf(messages);
        }

        /** Returns the CPU of all servers per query in milliseconds. */
        double serversPerQuery() {
            return serverMillis / queries;
        }

        double clientPerQuery() {
            return clientMillis / queries;
        }
    }

    /**
     * CPU of processes without queries, in percent of a core.
     *
     * @param serverPercent mean of a server
     * @param zooKeeperPerSecond requests that ZooKeeper received per second
     */
    record IdleCost(
            double serverPercent, double coordinatorPercent, double zooKeeperPercent, double zooKeeperPerSecond) {
        /** Returns the cost of a time, from CPU times in milliseconds and the requests in it. */
        static IdleCost of(
                double seconds,
                int servers,
                double serversMs,
                double coordinatorMs,
                double zooKeeperMs,
                long requests) {
            double percent = 100 / (1_000 * seconds);
            return new IdleCost(
                    serversMs * percent / servers, coordinatorMs * percent, zooKeeperMs * percent, requests / seconds);
        }
    }

    /**
     * Effects of SIGKILL of one server.
     *
     * @param rightAgainSeconds until all queries are right and quick again
     * @param updateSeconds until an update of all actors that was sent then is acknowledged
     * @param restoredSeconds until all actors have all their replicas again, on other servers
     */
    record Failover(
            int queries,
            int failed,
            int wrong,
            int slow,
            double rightAgainSeconds,
            double updateSeconds,
            double restoredSeconds) {}

    /** Returns the CPU of one server per query of all actors, in milliseconds. */
    double serverPerQuery() {
        return all.serversPerQuery() / servers;
    }

    double coordinatorPercentPerServer() {
        return idle.coordinatorPercent / servers;
    }

    double zooKeeperPerSecondPerServer() {
        return idle.zooKeeperPerSecond / servers;
    }

    /** Returns the failed queries while all servers ran. */
    long failed() {
        return all.failed + one.failed;
    }

    /** Returns the wrong answers, those after the kill too. */
    long wrong() {
        return all.wrong + one.wrong + failover.wrong;
    }
}
