package io.uniserve.runtime.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Settings of the section {@code security.renewal}. */
class RenewalSettingsTest {
    @TempDir
    Path directory;

    private RenewalSettings users(String list) {
        return TestingTableConfigFiles.load(directory, "uniserve.security.renewal.users = " + list)
                .renewal();
    }

    @Test
    void noUserIsRenewedByDefault() {
        assertThat(Settings.defaults().renewal().users()).isEmpty();
        assertThat(Settings.defaults().renewal().renews("ann")).isFalse();
    }

    @Test
    void usersAreNamedByNamesAndStartsOfNames() {
        RenewalSettings some = users("[\"ann\", \"app-*\"]");
        assertThat(List.of("ann", "app-", "app-1", "app-x-2")).allMatch(some::renews);
        assertThat(List.of("anna", "an", "app", "bob", "ann*", "*")).noneMatch(some::renews);
        assertThat(users("[\"*\"]").renews("bob")).isTrue();
    }

    @Test
    void whatIsNoNameIsRefused() {
        for (String wrong : List.of("", "**", "a*b", "-ann", "a b", "server/s1", "app-**")) {
            assertThatThrownBy(() -> users("[\"ann\", \"" + wrong + "\"]"))
                    .as(wrong)
                    .isInstanceOfSatisfying(UniserveException.class, e -> {
                        assertThat(e.code()).isEqualTo(ErrorCode.INVALID_CONFIGURATION);
                        assertThat(e.reason()).contains("uniserve.security.renewal.users", "starts of names and *");
                    });
        }
    }
}
