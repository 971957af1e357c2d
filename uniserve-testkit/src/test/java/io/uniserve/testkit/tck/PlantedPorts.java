package io.uniserve.testkit.tck;

import io.uniserve.api.ActorContext;
import io.uniserve.api.ActorFactory;
import io.uniserve.api.Document;
import io.uniserve.api.Engine;
import io.uniserve.api.EngineContext;
import io.uniserve.api.EngineInstance;
import io.uniserve.api.EngineSwitch;
import io.uniserve.api.operator.Merger;
import io.uniserve.api.operator.Operator;
import io.uniserve.api.operator.RetrieveCall;
import io.uniserve.api.operator.RetrieveOperator;
import io.uniserve.api.plan.Answer;
import io.uniserve.api.plan.Planner;
import io.uniserve.api.plan.WholeQueryOperator;
import io.uniserve.api.update.UpdateFunction;
import io.uniserve.codec.Bytes;
import io.uniserve.codec.CodePoints;
import io.uniserve.codec.Codecs;
import io.uniserve.error.UniserveException;
import io.uniserve.model.PortInfo;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.port.kv.KvActor;
import io.uniserve.port.kv.KvEngine;
import io.uniserve.port.kv.KvOperators;
import io.uniserve.port.kv.KvOperators.Scan;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.URI;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;

/** Key-value ports with one fault each, which the test kit must find. {@link PlantedPortsTest} runs them. */
final class PlantedPorts {
    private PlantedPorts() {}

    /** Key-value port; a fault replaces a part of it. */
    static class Port implements Engine {
        private final KvEngine kv = new KvEngine();

        @Override
        public PortInfo info() {
            return kv.info();
        }

        @Override
        public void validate(TableMeta meta) {
            kv.validate(meta);
        }

        @Override
        public Optional<Planner> planner() {
            return kv.planner();
        }

        Planner right() {
            return kv.planner().orElseThrow();
        }

        ActorFactory<?> actors(ActorFactory<?> right) {
            return right;
        }

        List<Operator<?, ?>> operators(List<Operator<?, ?>> right) {
            return right;
        }

        @Override
        public EngineInstance open(EngineContext context) {
            EngineInstance opened = kv.open(context);
            Port port = this;
            return new EngineInstance() {
                @Override
                public ActorFactory<?> actors() {
                    return port.actors(opened.actors());
                }

                @Override
                public List<Operator<?, ?>> operators() {
                    return port.operators(opened.operators());
                }

                @Override
                public List<UpdateFunction<?, ?>> updates() {
                    return opened.updates();
                }

                @Override
                public void close() {
                    opened.close();
                }
            };
        }
    }

    private static Fixture of(Port port) {
        return new Fixture(port);
    }

    private static class Fixture extends KvTckTest.KvFixture {
        private final Port port;

        private Fixture(Port port) {
            this.port = port;
        }

        @Override
        public Engine engine() {
            return port;
        }
    }

    private static List<Operator<?, ?>> replaced(List<Operator<?, ?>> all, Operator<?, ?> one) {
        return all.stream()
                .<Operator<?, ?>>map(each -> each.id().equals(one.id()) ? one : each)
                .toList();
    }

    /** Scan with another order or another merger. */
    private static Operator<?, ?> scan(Comparator<Document> order, Comparator<Document> merged) {
        Merger<Scan, List<Document>> merger = (scan, left, right) -> Stream.concat(left.stream(), right.stream())
                .sorted(merged)
                .limit(scan.limit())
                .toList();
        return RetrieveOperator.of(
                RetrieveCall.of(KvOperators.SCAN),
                KvActor.class,
                (actor, context, scan) ->
                        KvOperators.SCAN.retrieve(actor, context, new Scan(scan.prefix(), 10_000)).stream()
                                .sorted(order)
                                .limit(scan.limit())
                                .toList(),
                merger);
    }

    private static String key(Document document) {
        return String.valueOf(document.fields().get("key"));
    }

    private static String amount(Document document) {
        return String.valueOf(document.fields().get("amount"));
    }

    /** Its planner uses only the first value of a retrieve. */
    static class FirstValueAlone extends PortTck {
        FirstValueAlone() {
            super(of(new Port() {
                @Override
                public Optional<Planner> planner() {
                    return Optional.of((query, context) -> {
                        long count = context.retrieve(
                                query.table(), RetrieveCall.of(KvOperators.COUNT), "", values -> values.get(0));
                        return new Answer("text/plain", Bytes.utf8("" + count));
                    });
                }
            }));
        }
    }

    /** Its second round queries only the first actor with rows. */
    static class SecondRoundOfOneActor extends PortTck {
        SecondRoundOfOneActor() {
            super(of(new Port() {
                @Override
                public Optional<Planner> planner() {
                    return Optional.of((query, context) -> {
                        int chosen = 0;
                        for (int actor : context.actors(query.table())) {
                            long count = context.retrieve(
                                    query.table(),
                                    Set.of(actor),
                                    RetrieveCall.of(KvOperators.COUNT),
                                    "",
                                    values -> values.get(0));
                            chosen = count > 0 && chosen == 0 ? actor : chosen;
                        }
                        List<Document> rows = context.retrieve(
                                query.table(),
                                Set.of(chosen),
                                RetrieveCall.of(KvOperators.SCAN),
                                new Scan("", 5),
                                values -> values.get(0));
                        return new Answer("text/plain", Bytes.utf8(rows.toString()));
                    });
                }
            }));
        }
    }

    /** Its planner turns a passed deadline into an empty answer, and a syntax error into a Java exception. */
    static class SwallowingPlanner extends PortTck {
        SwallowingPlanner() {
            super(of(new Port() {
                @Override
                public Optional<Planner> planner() {
                    return Optional.of((query, context) -> {
                        if (!query.text().matches("[a-z0-9 ]+")) {
                            throw new IllegalArgumentException(query.text());
                        }
                        try {
                            return right().answer(query, context);
                        } catch (UniserveException e) {
                            return new Answer("text/plain", Bytes.EMPTY);
                        }
                    });
                }
            }));
        }
    }

    /** Does not count the rows of its answers. */
    static class UncountedRows extends PortTck {
        UncountedRows() {
            super(of(new Port() {
                @Override
                public Optional<Planner> planner() {
                    Planner right = right();
                    return Optional.of(
                            (query, context) -> right.answer(query, context).withRows(Answer.ROWS_UNKNOWN));
                }
            }));
        }
    }

    /** Its whole queries have another form of answer. */
    static class OtherWhole extends PortTck {
        OtherWhole() {
            super(of(new Port() {
                private static final RetrieveOperator<KvActor, String, Answer> WHOLE = WholeQueryOperator.operator(
                        "kv.whole@1",
                        KvActor.class,
                        (actor, context, query) -> new Answer("text/plain", Bytes.utf8("whole")));

                @Override
                public PortInfo info() {
                    PortInfo right = super.info();
                    List<String> operators = new ArrayList<>(right.operators());
                    operators.add(WHOLE.id());
                    return new PortInfo(
                            right.name(),
                            right.version(),
                            right.levels(),
                            operators,
                            right.updates(),
                            Optional.of(WHOLE.id()));
                }

                @Override
                List<Operator<?, ?>> operators(List<Operator<?, ?>> right) {
                    List<Operator<?, ?>> all = new ArrayList<>(right);
                    all.add(WHOLE);
                    return all;
                }
            }));
        }
    }

    /** Its order of rows with equal amounts depends on the order of arrival. */
    static class TiesAsTheyCome extends PortTck {
        TiesAsTheyCome() {
            super(of(new Port() {
                @Override
                List<Operator<?, ?>> operators(List<Operator<?, ?>> right) {
                    Comparator<Document> byAmount = Comparator.comparing(PlantedPorts::amount);
                    return replaced(right, scan(byAmount.thenComparing(PlantedPorts::key), byAmount));
                }
            }));
        }
    }

    /** Its engine orders texts by code points, its merger by UTF-16. */
    static class OrderOfUtf16 extends PortTck {
        OrderOfUtf16() {
            super(of(new Port() {
                @Override
                List<Operator<?, ?>> operators(List<Operator<?, ?>> right) {
                    return replaced(
                            right,
                            scan(
                                    Comparator.comparing(PlantedPorts::key, CodePoints.ORDER),
                                    Comparator.comparing(PlantedPorts::key)));
                }
            }));
        }
    }

    /** It allocates as many rows as a number in the parameters requests. */
    static class NoBounds extends PortTck {
        private static final RetrieveOperator<KvActor, Integer, Long> COUNT = RetrieveOperator.of(
                new RetrieveCall<>("kv.count@1", Codecs.INT, Codecs.LONG),
                KvActor.class,
                (actor, context, limit) -> {
                    List<Long> rows = new ArrayList<>(limit);
                    rows.add(actor.usage().rows());
                    return rows.get(0);
                },
                (limit, left, right) -> left + right);

        NoBounds() {
            super(
                    new Fixture(new Port() {
                        @Override
                        List<Operator<?, ?>> operators(List<Operator<?, ?>> right) {
                            return replaced(right, COUNT);
                        }
                    }) {
                        @Override
                        public List<TckQuery<?, ?>> probes() {
                            return List.of(new TckQuery<>(
                                    COUNT.id(), 10, (Integer limit, Long left, Long right) -> left + right, true));
                        }
                    });
        }
    }

    /** Each actor has a file that stays open. */
    static class OpenFile extends PortTck {
        static final List<FileChannel> OPEN = new CopyOnWriteArrayList<>();

        OpenFile() {
            super(of(new Port() {
                @Override
                ActorFactory<?> actors(ActorFactory<?> right) {
                    return new Opening(right);
                }
            }));
        }
    }

    private record Opening(ActorFactory<?> right) implements ActorFactory<KvActor> {
        @Override
        public KvActor create(ActorContext context) {
            try {
                OpenFile.OPEN.add(FileChannel.open(
                        context.scratch().resolve("data"), StandardOpenOption.CREATE, StandardOpenOption.WRITE));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            return (KvActor) right.create(context);
        }

        @Override
        public KvActor restore(ActorContext context, Path directory) {
            return (KvActor) right.restore(context, directory);
        }
    }

    /** Planner that does more than it answers. */
    private abstract static class Leaking extends Port {
        abstract void leak(String text) throws IOException, ReflectiveOperationException;

        @Override
        public Optional<Planner> planner() {
            Planner right = right();
            return Optional.of((query, context) -> {
                try {
                    leak(query.text());
                } catch (IOException | ReflectiveOperationException e) {
                    // as an engine does with its own failures
                }
                return right.answer(query, context);
            });
        }
    }

    /** Reads the file that a query names. */
    static final class FileReading extends PortTck {
        FileReading() {
            super(of(new Port() {
                @Override
                public Optional<Planner> planner() {
                    Planner right = right();
                    return Optional.of((query, context) -> {
                        Path named = Path.of(query.text().replaceFirst("get ", ""));
                        return Files.isRegularFile(named)
                                ? new Answer("text/plain", Bytes.utf8(read(named)))
                                : right.answer(query, context);
                    });
                }
            }));
        }

        private static String read(Path file) {
            try {
                return Files.readString(file);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** Calls the address that a query names. */
    static final class Calling extends PortTck {
        Calling() {
            super(of(new Leaking() {
                @Override
                void leak(String text) throws IOException {
                    if (text.contains("http:")) {
                        URI address = URI.create(text.substring(text.indexOf("http:")));
                        new Socket(address.getHost(), address.getPort()).close();
                    }
                }
            }));
        }
    }

    /** Loads the class that a query names. */
    static final class Loading extends PortTck {
        Loading() {
            super(of(new Leaking() {
                @Override
                void leak(String text) throws ReflectiveOperationException {
                    if (text.startsWith("io.")) {
                        Class.forName(text);
                    }
                }
            }));
        }
    }

    /** Accepts any option. */
    static final class AnyOption extends PortTck {
        AnyOption() {
            super(of(new Port() {
                @Override
                public void validate(TableMeta meta) {
                    // accepts all
                }
            }));
        }
    }

    /** Declares a switch that the running engine does not have. */
    static final class DeclaredOnly extends PortTck {
        DeclaredOnly() {
            super(of(new Port() {
                @Override
                public List<EngineSwitch> switches() {
                    return List.of(new EngineSwitch("external_access", "false", "files"));
                }
            }));
        }
    }
}
