package io.uniserve.benchmark.ycsb.binding;

import io.uniserve.client.ClientTable;
import io.uniserve.client.TableSpec;
import io.uniserve.client.UniserveClient;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.registry.TableMeta;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import site.ycsb.DBException;

/**
 * YCSB binding of Uniserve: {@code -db io.uniserve.benchmark.ycsb.binding.UniserveYcsbClient -p uniserve.bootstrap=HOST:PORT}. It creates
 * the table if there is none and {@code uniserve.engine} names a port. All threads share one client.
 */
public final class UniserveYcsbClient extends AbstractYcsbClient {
    private static @Nullable Shared shared;

    private @Nullable Shared mine;

    /** Client of all threads of this process. */
    private static final class Shared {
        private final UniserveClient client;
        private final ClientTable table;
        private final TableAccess access;
        private final boolean numbers;
        private int users;

        private Shared(UniserveClient client, BindingSettings settings) throws DBException {
            this.client = client;
            this.table = client.table(settings.table());
            TableMeta meta = meta(client, settings);
            this.access = TableAccessFactory.of(meta.port());
            this.numbers = settings.ranges();
            if (!meta.keyField().equals(access.keyField())) {
                throw new DBException("table " + settings.table() + " has the key field " + meta.keyField()
                        + ", and the binding needs " + access.keyField() + ": create it with --key "
                        + access.keyField() + ", or drop it and give " + BindingSettings.ENGINE);
            }
        }

        private static TableMeta meta(UniserveClient client, BindingSettings settings) throws DBException {
            try {
                return client.admin().describeTable(settings.table()).meta();
            } catch (UniserveException e) {
                if (e.code() != ErrorCode.TABLE_NOT_FOUND) {
                    throw e;
                }
                if (settings.engine().isEmpty()) {
                    throw new DBException(
                            "table " + settings.table() + " does not exist: create it, or give its port, as in -p "
                                    + BindingSettings.ENGINE + "=kv",
                            e);
                }
            }
            TableSpec spec = TableSpec.named(settings.table())
                    .port(settings.engine())
                    .replicas(settings.replicas())
                    .level(settings.level());
            spec = settings.ranges() ? spec.range(bounds(settings)) : spec.hash(settings.actors());
            return client.admin()
                    .createTable(TableAccessFactory.of(settings.engine()).spec(spec, settings))
                    .meta();
        }

        /** Returns the bounds of ranges with the same number of keys each. */
        private static List<Long> bounds(BindingSettings settings) {
            List<Long> bounds = new ArrayList<>();
            for (int actor = 1; actor < settings.actors(); actor++) {
                bounds.add(settings.records() * actor / settings.actors());
            }
            return bounds;
        }
    }

    @Override
    void connect() throws DBException {
        synchronized (UniserveYcsbClient.class) {
            Shared known = shared;
            if (known == null) {
                BindingSettings settings = BindingSettings.of(getProperties());
                try {
                    known = new Shared(
                            UniserveClient.builder()
                                    .bootstrap(settings.bootstrap())
                                    .deadline(settings.deadline())
                                    .build(),
                            settings);
                } catch (UniserveException e) {
                    throw new DBException(
                            e.getMessage() + "; " + BindingSettings.BOOTSTRAP + " is "
                                    + String.join(",", settings.bootstrap()),
                            e);
                }
                shared = known;
            }
            known.users++;
            mine = known;
        }
    }

    @Override
    void disconnect() {
        synchronized (UniserveYcsbClient.class) {
            Shared known = mine;
            mine = null;
            if (known != null && --known.users == 0) {
                shared = null;
                known.client.close();
            }
        }
    }

    private Shared shared() {
        Shared known = mine;
        if (known == null) {
            throw new IllegalStateException("init was not called, or cleanup was");
        }
        return known;
    }

    private RowKey key(String text) {
        return new RowKey(text, shared().numbers);
    }

    @Override
    Optional<YcsbRow> readRow(String key, List<String> fields) {
        return shared().access.read(shared().table, key(key), fields);
    }

    @Override
    List<YcsbRow> scanRows(String from, int limit, List<String> fields) {
        return shared().access.scan(shared().table, key(from), limit, fields);
    }

    @Override
    boolean updateRow(String key, Map<String, String> fields) {
        return shared().access.update(shared().table, key(key), fields);
    }

    @Override
    void putRows(Map<String, Map<String, String>> rows) {
        List<Map<String, @Nullable Object>> documents = new ArrayList<>(rows.size());
        rows.forEach((key, fields) -> documents.add(shared().access.row(key(key), fields)));
        shared().access.put(shared().table, documents);
    }

    @Override
    void deleteRow(String key) {
        shared().access.delete(shared().table, key(key));
    }
}
