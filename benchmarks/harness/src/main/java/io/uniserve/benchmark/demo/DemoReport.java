package io.uniserve.benchmark.demo;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Result of the demonstration.
 *
 * @param restoredMs milliseconds from the kill until every actor had its replicas again; negative if that did not happen
 */
record DemoReport(
        String title,
        int documents,
        int servers,
        int actors,
        int rf,
        long killedPid,
        long killNanos,
        double restoredMs,
        List<QuerySample> samples,
        List<QueryTimeline.Event> events) {
    DemoReport {
        samples = List.copyOf(samples);
        events = List.copyOf(events);
    }

    long failed() {
        return samples.stream().filter(QuerySample::failed).count();
    }

    long wrong() {
        return samples.stream().filter(QuerySample::isWrong).count();
    }

    long retries() {
        return samples.stream().mapToLong(QuerySample::retries).sum();
    }

    long hedges() {
        return samples.stream().mapToLong(QuerySample::hedges).sum();
    }

    List<QuerySample> before() {
        return samples.stream()
                .filter(sample -> sample.startNanos() < killNanos)
                .toList();
    }

    List<QuerySample> after() {
        return samples.stream()
                .filter(sample -> sample.startNanos() >= killNanos)
                .toList();
    }

    /** Returns the number of occurrences per distinct problem. */
    Map<String, Integer> problems() {
        Map<String, Integer> problems = new TreeMap<>();
        samples.stream()
                .filter(sample -> !sample.problem().isEmpty())
                .forEach(sample -> problems.merge(sample.problem(), 1, Integer::sum));
        return problems;
    }

    boolean pass(int queriesMin) {
        return failed() == 0 && wrong() == 0 && samples.size() >= queriesMin && restoredMs >= 0;
    }
}
