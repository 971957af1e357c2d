package io.uniserve.benchmark.text;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.function.IntFunction;

/** Sender of many documents in concurrent batches; the same for both sides. */
final class ConcurrentBatchSender {
    private static final int SIZE = 1_000;
    private static final int THREADS = 4;

    private ConcurrentBatchSender() {}

    /** Creates documents 0 to {@code count - 1} batch by batch while they are sent. Returns when all are acknowledged. */
    static <T> void send(int count, IntFunction<T> document, Consumer<List<T>> target) {
        List<Callable<Integer>> batches = new ArrayList<>();
        for (int from = 0; from < count; from += SIZE) {
            int first = from;
            int end = Math.min(count, from + SIZE);
            batches.add(() -> {
                List<T> documents = new ArrayList<>(end - first);
                for (int i = first; i < end; i++) {
                    documents.add(document.apply(i));
                }
                target.accept(documents);
                return end;
            });
        }
        ExecutorService pool = Executors.newFixedThreadPool(THREADS);
        try {
            for (Future<Integer> batch : pool.invokeAll(batches)) {
                batch.get();
            }
        } catch (ExecutionException e) {
            throw e.getCause() instanceof UniserveException known
                    ? known
                    : new UniserveException(ErrorCode.INTERNAL, "a batch failed: " + e.getCause(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UniserveException(ErrorCode.CANCELLED, "interrupted", e);
        } finally {
            pool.shutdownNow();
        }
    }
}
