package io.uniserve.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.io.IOException;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;

final class EngineErrorMapperTest {
    private static final EngineErrorMapper ENGINE =
            EngineErrorMapper.forUserErrors("Engine", failure -> failure instanceof UnsupportedOperationException);

    private static void fails(Exception failure, ErrorCode code, String message) {
        assertThatThrownBy(() -> ENGINE.call("count", () -> {
                    throw failure;
                }))
                .isInstanceOfSatisfying(UniserveException.class, e -> {
                    if (e.code() != code || !e.reason().equals(message)) {
                        throw new AssertionError(e.code() + ": " + e.reason());
                    }
                });
    }

    @Test
    void aUsersFaultIsToldInTheEnginesWords() {
        UnsupportedOperationException inner = new UnsupportedOperationException("no sum of texts");
        fails(inner, ErrorCode.INVALID_ARGUMENT, "Engine: no sum of texts");
        fails(new IllegalStateException("wrapped", inner), ErrorCode.INVALID_ARGUMENT, "Engine: no sum of texts");
    }

    @Test
    void whereTheEngineSaysNothingTheKindOfFailureIsTold() {
        fails(
                new UnsupportedOperationException(),
                ErrorCode.INVALID_ARGUMENT,
                "Engine: UnsupportedOperationException without a message; look for a function or an option that a"
                        + " field's type does not have");
        fails(
                new NullPointerException(),
                ErrorCode.PORT_FAILED,
                "Engine cannot count: NullPointerException without a message");
    }

    @Test
    void whatIsNobodysFaultKeepsItsCode() {
        fails(new IOException("disk full"), ErrorCode.IO, "Engine cannot count: IOException: disk full");
        UniserveException told = UniserveException.invalid("field \"n\"");
        fails(new IOException("wrapped", told), ErrorCode.INVALID_ARGUMENT, told.reason());
    }

    @Test
    void aStackThatOverflowsIsTheRequests() {
        assertThatThrownBy(() -> ENGINE.call("count", () -> {
                    throw new StackOverflowError();
                }))
                .isInstanceOfSatisfying(UniserveException.class, e -> {
                    assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
                    assertThat(e.reason()).startsWith("Engine: the request is nested too deeply");
                });
    }

    @Test
    void aMessageIsRewrittenAndWhatOthersSaidIsNot() {
        EngineErrorMapper rewriting = ENGINE.withMessages(message -> "reason, in " + message);
        assertThatThrownBy(() -> rewriting.call("count", () -> {
                    throw new UnsupportedOperationException("a text");
                }))
                .hasMessageContaining("Engine: reason, in a text");
        UniserveException told = UniserveException.invalid("field \"n\"");
        UnsupportedOperationException around = new UnsupportedOperationException("outer", told);
        assertThatThrownBy(() -> rewriting.call("count", () -> {
                    throw around;
                }))
                .isSameAs(told);
    }

    /** Class with a package-private method, which is hidden from an engine in another package. */
    static final class Owner {
        private String given = "";

        void give(String text) {
            if (text.isEmpty()) {
                throw new UnsupportedOperationException("nothing to give");
            }
            given += text;
        }
    }

    @Test
    void aHiddenMethodIsCalledAndFailsAsTheEngineDoes() {
        BiConsumer<Owner, String> give = ENGINE.nonPublicMethod(Owner.class, "give", String.class);
        Owner owner = new Owner();
        give.accept(owner, "a");
        give.accept(owner, "b");
        assertThat(owner.given).isEqualTo("ab");
        assertThatThrownBy(() -> give.accept(owner, ""))
                .isInstanceOfSatisfying(
                        UniserveException.class, e -> assertThat(e.reason()).isEqualTo("Engine: nothing to give"));
        assertThatThrownBy(() -> ENGINE.nonPublicMethod(Owner.class, "take", String.class))
                .isInstanceOfSatisfying(
                        UniserveException.class,
                        e -> assertThat(e.reason()).startsWith("Engine cannot call Owner.take: "));
    }
}
