package io.uniserve.benchmark.demo;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.uniserve.api.plan.Answer;
import io.uniserve.error.UniserveException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/** Load of client threads that send the queries repeatedly and compare every answer. */
public final class QueryLoadGenerator implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final List<DemoQuery> queries;
    private final QuerySender sender;
    private final LongSupplier nanos;
    private final long startNanos;
    private final QueryTimeline timeline;
    private final AtomicLong next = new AtomicLong();
    private final AtomicBoolean stop = new AtomicBoolean();
    private final List<Thread> threads = new ArrayList<>();

    /** Client call that sends one query in the engine's language and waits for the answer. */
    @FunctionalInterface
    public interface QuerySender {
        Answer send(String text);
    }

    /** Prepares the load. It sends nothing before {@link #start} or {@link #runQuery}. */
    public QueryLoadGenerator(List<DemoQuery> queries, QuerySender asker, LongSupplier nanos, QueryTimeline timeline) {
        this.queries = queries;
        this.sender = asker;
        this.nanos = nanos;
        this.startNanos = nanos.getAsLong();
        this.timeline = timeline;
    }

    void start(int count) {
        for (int i = 0; i < count; i++) {
            Thread thread = new Thread(this::sendQueries, "demo-client-" + i);
            thread.setDaemon(true);
            threads.add(thread);
            thread.start();
        }
    }

    /** Returns the time since the start of the load. */
    public long nanosSinceStart() {
        return nanos.getAsLong() - startNanos;
    }

    private void sendQueries() {
        while (!stop.get()) {
            DemoQuery query = queries.get((int) (next.getAndIncrement() % queries.size()));
            timeline.add(runQuery(query));
        }
    }

    /** Sends one query and compares its answer. */
    public QuerySample runQuery(DemoQuery query) {
        long start = nanosSinceStart();
        try {
            Answer answer = sender.send(query.text());
            JsonNode json = JSON.readTree(answer.body().utf8());
            String problem = query.difference(json)
                    .map(difference -> query.text() + ": " + difference)
                    .orElse("");
            Answer.Effort effort = answer.effort();
            return new QuerySample(
                    start, nanosSinceStart() - start, query.kind(), problem, false, effort.retries(), effort.hedges());
        } catch (UniserveException e) {
            return new QuerySample(
                    start, nanosSinceStart() - start, query.kind(), String.valueOf(e.getMessage()), true, 0, 0);
        } catch (JsonProcessingException e) {
            return new QuerySample(
                    start,
                    nanosSinceStart() - start,
                    query.kind(),
                    "the answer is not JSON: " + e.getOriginalMessage(),
                    false,
                    0,
                    0);
        }
    }

    /** Stops after the running queries have ended. */
    @Override
    public void close() {
        stop.set(true);
        for (Thread thread : threads) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }
}
