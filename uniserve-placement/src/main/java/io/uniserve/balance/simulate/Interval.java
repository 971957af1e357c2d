package io.uniserve.balance.simulate;

/**
 * What happened in an interval; latencies in units of the mean time a query needs on one actor.
 *
 * @param p50 median latency of a query
 * @param p99 99th percentile
 * @param busiest utilization of the busiest server
 * @param adds replicas made after it
 * @param replicas replicas after it
 */
public record Interval(int number, double p50, double p99, double busiest, int adds, int replicas) {}
