package io.uniserve.runtime.transport.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.runtime.proto.SecurityProto.Callers;
import io.uniserve.runtime.security.CertifiedIdentity;
import io.uniserve.runtime.security.CertifiedIdentity.Kind;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class CallerRulesTest {
    private final CallerRules rules = new CallerRules("main");

    private Optional<String> refusal(String cluster, Kind kind, String method) {
        return rules.refusal(Optional.of(new CertifiedIdentity(cluster, kind, "x")), method);
    }

    @Test
    void everyMethodDeclaresItsCallers() {
        assertThat(MethodCallers.all())
                .hasSizeGreaterThanOrEqualTo(8)
                .doesNotContainValue(Callers.NONE)
                .doesNotContainValue(Callers.UNRECOGNIZED);
        assertThat(MethodCallers.all().entrySet().stream()
                        .filter(method -> method.getValue() == Callers.PROCESSES)
                        .map(Map.Entry::getKey))
                .containsExactly("uniserve.Peer/Call");
        assertThat(MethodCallers.all().entrySet().stream()
                        .filter(method -> method.getValue() == Callers.ANYONE)
                        .map(Map.Entry::getKey))
                .containsExactly("uniserve.Login/Begin", "uniserve.Login/Finish");
    }

    @Test
    void eachCellOfMethodsAndCallersIsAsDeclared() {
        MethodCallers.all().forEach((method, callers) -> {
            assertThat(rules.refusal(Optional.empty(), method).isEmpty()).isEqualTo(callers == Callers.ANYONE);
            for (Kind kind : Kind.values()) {
                assertThat(refusal("other", kind, method)).isPresent();
                boolean permitted = kind == Kind.SERVER || kind == Kind.USER && callers != Callers.PROCESSES;
                assertThat(refusal("main", kind, method).isEmpty())
                        .as(method + " by " + kind)
                        .isEqualTo(permitted);
            }
        });
    }

    @Test
    void aMethodWithoutDeclarationIsRefusedToAll() {
        for (Kind kind : Kind.values()) {
            assertThat(refusal("main", kind, "uniserve.Data/New"))
                    .get()
                    .isEqualTo(
                            kind == Kind.ZOOKEEPER
                                    ? "its identity uniserve://main/zookeeper/x is that of a ZooKeeper server, which calls no"
                                            + " process"
                                    : "the method declares no callers");
        }
    }
}
