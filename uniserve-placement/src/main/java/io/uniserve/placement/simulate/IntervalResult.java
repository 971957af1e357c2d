package io.uniserve.placement.simulate;

/**
 * Results of an interval. Latencies are in units of the mean time of a query on one actor.
 *
 * @param p50 median latency of a query
 * @param p99 99th percentile
 * @param busiest utilization of the busiest server
 * @param adds replicas added after it
 * @param replicas replicas after it
 */
public record IntervalResult(int number, double p50, double p99, double busiest, int adds, int replicas) {}
