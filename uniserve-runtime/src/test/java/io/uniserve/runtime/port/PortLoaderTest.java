package io.uniserve.runtime.port;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.api.Engine;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.registry.TableMeta;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PortLoaderTest {
    private static final String VALIDATE = "public void validate(io.uniserve.model.registry.TableMeta meta) { %s }";

    @TempDir
    Path work;

    private Path folder(String name) {
        return work.resolve("ports").resolve(name);
    }

    private void refuses(String name, ErrorCode code, String... words) {
        assertThatThrownBy(() -> PortLoader.load(folder(name), name))
                .isInstanceOf(UniserveException.class)
                .hasMessageContainingAll(words)
                .extracting(e -> ((UniserveException) e).code())
                .isEqualTo(code);
    }

    private LoadedPort loadProbe(String name, String validate) throws IOException {
        new TestJar()
                .engine("Probe", name, VALIDATE.formatted(validate))
                .engines("Probe")
                .write(folder(name).resolve("lib/probe.jar"), work.resolve("work-" + name));
        return PortLoader.load(folder(name), name);
    }

    @SuppressWarnings("NullAway") // probes never look at the table
    private static void probe(LoadedPort port) {
        port.call(() -> {
            port.engine().validate((TableMeta) null);
            return true;
        });
    }

    @Test
    void anEngineIsLoadedOnceBehindALoaderOfItsOwn() throws IOException {
        LoadedPort port = loadProbe("once", "");
        assertThat(port.engine().info().name()).isEqualTo("once");
        assertThat(port.engine().getClass().getClassLoader()).isNotSameAs(Engine.class.getClassLoader());
        assertThat(port.engine().getClass().getClassLoader().getParent()).isNotNull();
        assertThat(PortLoader.load(folder("once"), "once")).isSameAs(port);
        assertThat(PortLoader.load(folder("once").resolve("../once/lib"), "once"))
                .isSameAs(port);
    }

    @Test
    void aPortSeesTheJdkCoreJspecifyAndSlf4jAlone() throws IOException {
        LoadedPort port = loadProbe("sees", """
                ClassLoader own = Probe.class.getClassLoader();
                for (String name : new String[] {
                    "java.sql.Connection", "javax.xml.parsers.SAXParser", "io.uniserve.api.operator.RetrieveOperator",
                    "io.uniserve.codec.Codec", "io.uniserve.error.ErrorCode", "io.uniserve.limit.Limits",
                    "io.uniserve.model.registry.TableMeta", "org.slf4j.Logger", "org.slf4j.event.Level",
                    "org.jspecify.annotations.Nullable"}) {
                    try {
                        Class.forName(name, false, own);
                    } catch (ClassNotFoundException e) {
                        throw new IllegalStateException("does not see " + name);
                    }
                }
                for (String name : new String[] {
                    "io.uniserve.protocol.env.Registry", "io.uniserve.runtime.port.PortLoader", "io.grpc.Server",
                    "com.google.protobuf.Message", "com.google.common.collect.ImmutableList",
                    "org.apache.zookeeper.ZooKeeper", "org.apache.curator.RetryPolicy", "ch.qos.logback.classic.Logger",
                    "org.slf4j.bridge.SLF4JBridgeHandler", "org.junit.jupiter.api.Test", "com.typesafe.config.Config"}) {
                    try {
                        Class.forName(name, false, own);
                        throw new IllegalStateException("sees " + name);
                    } catch (ClassNotFoundException expected) {
                        continue;
                    }
                }
                if (own.getResource("META-INF/services/org.slf4j.spi.SLF4JServiceProvider") != null
                        || own.getResource("reference.conf") != null) {
                    throw new IllegalStateException("sees the application's resources");
                }
                """);
        probe(port);
    }

    @Test
    void aCopyOfCoreInTheJarsIsNotUsed() throws IOException {
        new TestJar()
                .engine("Probe", "copy", VALIDATE.formatted("io.uniserve.limit.Limits.class.getName();"))
                .engines("Probe")
                .write(folder("copy").resolve("a.jar"), work.resolve("w"));
        Files.copy(folder("copy").resolve("a.jar"), work.resolve("keep.jar"));
        new TestJar()
                .source(
                        "io.uniserve.limit.Limits",
                        "package io.uniserve.limit; public class Limits { static { if (true) throw new Error(); } }")
                .write(folder("copy").resolve("core.jar"), work.resolve("w2"));
        probe(PortLoader.load(folder("copy"), "copy"));
    }

    @Test
    void theContextClassLoaderIsThePortsDuringACallAndGivenBack() throws IOException {
        LoadedPort port = loadProbe("context", """
                if (Thread.currentThread().getContextClassLoader() != Probe.class.getClassLoader()) {
                    throw new IllegalStateException("wrong context class loader");
                }
                if (meta == null) {
                    throw new IllegalArgumentException("as planned");
                }
                """);
        ClassLoader before = Thread.currentThread().getContextClassLoader();
        assertThatThrownBy(() -> probe(port)).hasMessage("as planned");
        assertThat(Thread.currentThread().getContextClassLoader()).isSameAs(before);
    }

    @Test
    void twoPortsMayBringOneClassInTwoVersions() throws IOException {
        for (String name : new String[] {"left", "right"}) {
            new TestJar()
                    .engine(
                            "Probe",
                            name,
                            VALIDATE.formatted("if (!lib.Shared.NAME.get().equals(\"" + name
                                    + "\")) throw new IllegalStateException();"))
                    .source(
                            "lib.Shared",
                            "package lib; public class Shared { public static java.util.function.Supplier<String> NAME = () -> \""
                                    + name + "\"; }")
                    .engines("Probe")
                    .write(folder(name).resolve("x.jar"), work.resolve("work-" + name));
        }
        probe(PortLoader.load(folder("left"), "left"));
        probe(PortLoader.load(folder("right"), "right"));
    }

    @Test
    void missingFoldersAndJarsAreUnknownPorts() throws IOException {
        refuses("absent", ErrorCode.UNKNOWN_PORT, "absent", "install");
        Files.createDirectories(folder("bare").resolve("lib"));
        refuses("bare", ErrorCode.UNKNOWN_PORT, "no jar");
    }

    @Test
    void noEngineTwoEnginesAndAWrongNameAreTold() throws IOException {
        new TestJar().resource("readme", "x").write(folder("none").resolve("x.jar"), work.resolve("w1"));
        refuses("none", ErrorCode.PORT_FAILED, "no jar names an engine");
        new TestJar()
                .engine("One", "two", VALIDATE.formatted(""))
                .engine("Two", "two", VALIDATE.formatted(""))
                .engines("One", "Two")
                .write(folder("two").resolve("x.jar"), work.resolve("w2"));
        refuses("two", ErrorCode.PORT_FAILED, "more than one engine", "One", "Two");
        new TestJar()
                .engine("Probe", "mine", VALIDATE.formatted(""))
                .engines("Probe")
                .write(folder("yours").resolve("x.jar"), work.resolve("w3"));
        refuses("yours", ErrorCode.PORT_PROTOCOL, "\"mine\"", "yours");
    }

    @Test
    void enginesThatCannotBeMadeFailWithTheirCause() throws IOException {
        new TestJar().engines("Gone").write(folder("gone").resolve("x.jar"), work.resolve("w1"));
        refuses("gone", ErrorCode.PORT_FAILED, "Gone");
        new TestJar()
                .engine(
                        "Probe",
                        "throws",
                        VALIDATE.formatted("") + " public Probe() { throw new IllegalStateException(\"no licence\"); }")
                .engines("Probe")
                .write(folder("throws").resolve("x.jar"), work.resolve("w2"));
        refuses("throws", ErrorCode.PORT_FAILED, "no licence");
        new TestJar()
                .engine("Probe", "partial", VALIDATE.formatted("") + " final Helper helper = new Helper();")
                .source("Helper", "class Helper {}")
                .engines("Probe")
                .write(folder("partial").resolve("x.jar"), work.resolve("w3"), "Helper");
        refuses("partial", ErrorCode.PORT_FAILED, "Helper");
        Files.createDirectories(folder("garbage"));
        Files.writeString(folder("garbage").resolve("x.jar"), "this is no jar");
        refuses("garbage", ErrorCode.PORT_FAILED, "garbage");
    }
}
