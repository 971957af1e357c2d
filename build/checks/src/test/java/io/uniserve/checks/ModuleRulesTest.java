package io.uniserve.checks;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static io.uniserve.checks.Classes.inModules;
import static io.uniserve.checks.Classes.inPackages;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Permitted dependencies between modules. */
class ModuleRulesTest {
    private static final String[] REMOTE_CALLS = {"io.grpc..", "com.google.protobuf.."};
    private static final String[] PORTS = {
        "ports/kv", "ports/lucene", "ports/solr", "ports/duckdb", "ports/monetdb", "ports/druid", "ports/mongodb"
    };
    private static final String[] ZOOKEEPER = {"org.apache.zookeeper..", "org.apache.curator.."};
    private static final DescribedPredicate<JavaClass> GENERATED = Classes.generated();

    /** Packages that may use generated messages: transport, and the mapping to types of the core. */
    private static final String[] WIRE = {"io.uniserve.runtime.transport..", "io.uniserve.runtime.proto.."};

    @Test
    void everyModuleIsLookedAt() {
        for (String module : ProjectTree.MODULES) {
            if (!module.equals("build/checks")) {
                assertThat(ProjectTree.classes(module))
                        .as("compiled classes of " + module)
                        .isDirectory();
            }
        }
        assertThat(Classes.ALL.size()).isGreaterThan(50);
    }

    @Test
    void coreStandsAlone() {
        check(classes()
                .that(inModules("uniserve-core"))
                .should()
                .onlyDependOnClassesThat(
                        inModules("uniserve-core").or(inPackages("java..", "org.jspecify..", "org.slf4j..")))
                .because("ports and applications compile against core; it brings nothing but jspecify and slf4j-api"));
    }

    @Test
    void protocolSeesOnlyCore() {
        check(classes()
                .that(inModules("uniserve-protocol"))
                .should()
                .onlyDependOnClassesThat(inModules("uniserve-protocol", "uniserve-core")
                        .or(inPackages("java..", "org.jspecify..", "org.slf4j..")))
                .because("the state machines run in the simulator as they run in production"));
    }

    @Test
    void coreAndProtocolSeeNoTransportAndNoZooKeeper() {
        check(noClasses()
                .that(inModules("uniserve-core", "uniserve-protocol"))
                .should()
                .dependOnClassesThat(inPackages(REMOTE_CALLS).or(inPackages(ZOOKEEPER))));
    }

    @Test
    void portsSeeOnlyCore() {
        check(noClasses()
                .that(inModules(PORTS))
                .should()
                .dependOnClassesThat(inModules(
                                "uniserve-protocol",
                                "uniserve-runtime",
                                "uniserve-coordinator",
                                "uniserve-server",
                                "uniserve-client",
                                "uniserve-testkit",
                                "uniserve-simulator",
                                "uniserve-cli-api",
                                "benchmarks/harness",
                                "uniserve-cli")
                        .or(inPackages("io.grpc..", "org.apache.curator..")))
                .because("the port loader shows a port nothing but the JDK, uniserve-core, jspecify and slf4j"));
    }

    @Test
    void luceneSeesOnlyLucene() {
        check(classes()
                .that(inModules("ports/shared/lucene"))
                .should()
                .onlyDependOnClassesThat(inModules("ports/shared/lucene")
                        .or(inPackages("java..", "org.jspecify..", "org.apache.lucene..")))
                .because("ports of engines that keep Lucene indexes share it"));
    }

    @Test
    void sqlSeesOnlyCoreAndItsParser() {
        check(classes()
                .that(inModules("ports/shared/sql"))
                .should()
                .onlyDependOnClassesThat(inModules("ports/shared/sql", "uniserve-core")
                        .or(inPackages(
                                "java..",
                                "org.jspecify..",
                                "org.slf4j..",
                                "org.apache.calcite..",
                                "com.google.common..")))
                .because("ports of column stores share it: it knows no engine and no transport"));
    }

    @Test
    void portsDoNotSeeEachOther() {
        for (String port : PORTS) {
            String[] others =
                    Stream.of(PORTS).filter(other -> !other.equals(port)).toArray(String[]::new);
            check(noClasses().that(inModules(port)).should().dependOnClassesThat(inModules(others)));
        }
    }

    @Test
    void theClientSeesNoZooKeeperAndNoDaemon() {
        check(noClasses()
                .that(inModules("uniserve-client"))
                .should()
                .dependOnClassesThat(inPackages(ZOOKEEPER)
                        .or(inModules("uniserve-coordinator", "uniserve-server"))
                        .or(inModules(PORTS))));
    }

    @Test
    void coordinatorAndServerDoNotSeeEachOther() {
        check(noClasses()
                .that(inModules("uniserve-coordinator"))
                .should()
                .dependOnClassesThat(inModules("uniserve-server", "uniserve-client")));
        check(noClasses()
                .that(inModules("uniserve-server"))
                .should()
                .dependOnClassesThat(inModules("uniserve-coordinator", "uniserve-client")));
    }

    @Test
    void onlyTheDaemonsToolsUseTheTestKit() {
        check(noClasses()
                .that(inModules("uniserve-runtime", "uniserve-coordinator", "uniserve-server", "uniserve-client"))
                .should()
                .dependOnClassesThat(
                        inModules("uniserve-testkit", "uniserve-cli-api", "benchmarks/harness", "uniserve-cli")));
    }

    @Test
    void theCommandLineFindsTheHarnessAtRunTimeOnly() {
        check(noClasses()
                .that(inModules("uniserve-cli", "uniserve-cli-api"))
                .should()
                .dependOnClassesThat(inModules("benchmarks/harness"))
                .because("its commands are services, so that operators' commands do not need the benchmarks"));
        check(noClasses()
                .that(inModules("uniserve-cli-api"))
                .should()
                .dependOnClassesThat(inModules("uniserve-testkit")));
    }

    @Test
    void generatedClassesStayInsideTheTransport() {
        check(noClasses()
                .that(not(GENERATED).and(not(inPackages(WIRE))))
                .should()
                .dependOnClassesThat(GENERATED.or(inPackages("com.google.protobuf..")))
                .because("messages are mapped to the core's own types at the edge: " + String.join(", ", WIRE)));
    }

    @Test
    void grpcStaysInsideTheTransport() {
        check(noClasses()
                .that(not(GENERATED).and(not(inPackages("io.uniserve.runtime.transport.."))))
                .and(not(BENCH_FLOOR))
                .should()
                .dependOnClassesThat(inPackages("io.grpc.."))
                .because("modules talk through the interfaces of io.uniserve.protocol.env"));
    }

    /** The floors of benchmarks are bare gRPC calls and streams, intentionally without our transport. */
    private static final DescribedPredicate<JavaClass> BENCH_FLOOR =
            inPackages("io.uniserve.benchmark.floor..", "io.uniserve.benchmark.shuffle..");

    @Test
    void packagesHaveNoCycles() {
        JavaClasses written = Classes.ALL.that(not(GENERATED));
        slices().assignedFrom(PACKAGES)
                .should()
                .beFreeOfCycles()
                .allowEmptyShould(true)
                .check(written);
    }

    /** A package is a slice, except that io.uniserve.api with its subpackages, the API for port authors, is one slice. */
    private static final SliceAssignment PACKAGES = new SliceAssignment() {
        @Override
        public SliceIdentifier getIdentifierOf(JavaClass type) {
            String name = type.getPackageName();
            if (!name.startsWith("io.uniserve.")) {
                return SliceIdentifier.ignore();
            }
            return SliceIdentifier.of(name.startsWith("io.uniserve.api.") ? "io.uniserve.api" : name);
        }

        @Override
        public String getDescription() {
            return "packages of io.uniserve";
        }
    };

    @Test
    void nothingIsJavaSerialized() {
        List<String> offenders = Classes.ALL.stream()
                .filter(not(GENERATED))
                .filter(type -> type.getRawInterfaces().stream()
                                .anyMatch(i -> i.getName().equals("java.io.Serializable"))
                        || type.getDirectDependenciesFromSelf().stream()
                                .map(Dependency::getTargetClass)
                                .anyMatch(t -> t.getName().equals("java.io.ObjectInputStream")
                                        || t.getName().equals("java.io.ObjectOutputStream")
                                        || t.getName().equals("java.io.Externalizable")))
                .map(JavaClass::getName)
                .toList();
        assertThat(offenders)
                .as("java.io serialization; write an io.uniserve.codec.Codec instead")
                .isEmpty();
    }

    private static void check(ArchRule rule) {
        rule.allowEmptyShould(true).check(Classes.ALL);
    }
}
