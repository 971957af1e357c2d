package io.uniserve.benchmark.ycsb.binding;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.Vector;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import site.ycsb.ByteIterator;
import site.ycsb.DB;
import site.ycsb.DBException;
import site.ycsb.Status;
import site.ycsb.StringByteIterator;
import site.ycsb.WorkloadException;
import site.ycsb.workloads.CoreWorkload;

/** YCSB's calls as operations on rows of texts, with checks of scans and batches of the load. One object per thread. */
abstract class AbstractYcsbClient extends DB {
    private static final int FAILURES_SHOWN = 10;
    private static final AtomicInteger FAILURES = new AtomicInteger();

    private final Map<String, Map<String, String>> batch = new LinkedHashMap<>();
    private @Nullable ScanChecker checker;
    private int batchSize = 1;
    private int fieldCount;

    /** Connects. Called once per thread. */
    abstract void connect() throws DBException;

    abstract void disconnect();

    abstract Optional<YcsbRow> readRow(String key, List<String> fields);

    abstract List<YcsbRow> scanRows(String from, int limit, List<String> fields);

    /** Sets fields of a row. Returns false without such a row. */
    abstract boolean updateRow(String key, Map<String, String> fields);

    /** Stores rows, in order of insertion. */
    abstract void putRows(Map<String, Map<String, String>> rows);

    abstract void deleteRow(String key);

    @Override
    public final void init() throws DBException {
        BindingSettings.checkNumbers(getProperties());
        batchSize = Integer.parseInt(getProperties().getProperty("uniserve.batch", "1"));
        fieldCount = Integer.parseInt(getProperties().getProperty("fieldcount", "10"));
        checker = ScanChecker.of(getProperties()).orElse(null);
        int threads = Integer.parseInt(getProperties().getProperty("threadcount", "1"));
        try {
            connect();
            warmUp(Integer.parseInt(getProperties().getProperty("uniserve.warm-up", "0")) / threads);
        } finally {
            awaitStart(threads);
        }
    }

    private static void awaitStart(int threads) throws DBException {
        try {
            ProcessCpu.awaitStart(threads);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new DBException("interrupted", e);
        }
    }

    /** Runs operations of the workload before YCSB's own, so that compilers and connections are ready. They are not measured. */
    private void warmUp(int operations) throws DBException {
        if (operations == 0) {
            return;
        }
        CoreWorkload workload = new CoreWorkload();
        try {
            workload.init(getProperties());
        } catch (WorkloadException e) {
            throw new DBException("the workload of the warm-up cannot start", e);
        }
        Object none = new Object();
        for (int i = 0; i < operations; i++) {
            if (!workload.doTransaction(this, none)) {
                throw new DBException("an operation of the warm-up failed");
            }
        }
    }

    @Override
    public final void cleanup() throws DBException {
        try {
            flush();
        } catch (UniserveException e) {
            throw new DBException("the last batch of inserts failed", e);
        } finally {
            ProcessCpu.leave();
            disconnect();
        }
    }

    private void flush() {
        if (!batch.isEmpty()) {
            putRows(batch);
            batch.clear();
        }
    }

    @Override
    public final Status read(String table, String key, @Nullable Set<String> fields, Map<String, ByteIterator> result) {
        return run(() -> {
            Optional<YcsbRow> row = readRow(key, names(fields));
            row.ifPresent(
                    found -> found.fields().forEach((name, value) -> result.put(name, new StringByteIterator(value))));
            return row.isPresent() ? Status.OK : Status.NOT_FOUND;
        });
    }

    @Override
    public final Status scan(
            String table,
            String from,
            int limit,
            @Nullable Set<String> fields,
            Vector<HashMap<String, ByteIterator>> result) {
        return run(() -> {
            List<String> names = names(fields);
            List<YcsbRow> rows = scanRows(from, limit, names);
            for (YcsbRow row : rows) {
                HashMap<String, ByteIterator> values = new HashMap<>();
                row.fields().forEach((name, value) -> values.put(name, new StringByteIterator(value)));
                result.add(values);
            }
            Optional<String> problem = checker == null
                    ? Optional.empty()
                    : checker.problem(from, limit, names.isEmpty() ? fieldCount : names.size(), rows);
            problem.ifPresent(words -> show("wrong scan: " + words));
            return problem.isPresent() ? Status.UNEXPECTED_STATE : Status.OK;
        });
    }

    @Override
    public final Status update(String table, String key, Map<String, ByteIterator> values) {
        return run(() -> updateRow(key, texts(values)) ? Status.OK : Status.NOT_FOUND);
    }

    @Override
    public final Status insert(String table, String key, Map<String, ByteIterator> values) {
        return run(() -> {
            batch.put(key, texts(values));
            if (batch.size() < batchSize) {
                return Status.BATCHED_OK;
            }
            flush();
            return Status.OK;
        });
    }

    @Override
    public final Status delete(String table, String key) {
        return run(() -> {
            deleteRow(key);
            return Status.OK;
        });
    }

    private static Status run(Supplier<Status> work) {
        try {
            return work.get();
        } catch (UniserveException e) {
            show(e.getMessage());
            return switch (e.code()) {
                case UNSUPPORTED -> Status.NOT_IMPLEMENTED;
                case UNAVAILABLE, DEADLINE_EXCEEDED -> Status.SERVICE_UNAVAILABLE;
                default -> e.code() == ErrorCode.INVALID_ARGUMENT ? Status.BAD_REQUEST : Status.ERROR;
            };
        }
    }

    /** Prints the first failures; YCSB's output counts all. */
    private static void show(String words) {
        if (FAILURES.incrementAndGet() <= FAILURES_SHOWN) {
            System.err.println("uniserve-ycsb: " + words);
        }
    }

    private static List<String> names(@Nullable Set<String> fields) {
        return fields == null ? List.of() : new ArrayList<>(fields);
    }

    private static Map<String, String> texts(Map<String, ByteIterator> values) {
        Map<String, String> texts = new LinkedHashMap<>();
        values.forEach((name, value) -> texts.put(name, value.toString()));
        return texts;
    }
}
