package io.uniserve.runtime.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.access.UserCredential;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PasswordsTest {
    private static String prepared(String password) {
        return new String(Passwords.prepare(password.toCharArray()));
    }

    /** Examples of RFC 4013, section 3. */
    @Test
    void passwordsHaveOneNormalForm() {
        assertThat(prepared("I\u00ADX")).isEqualTo("IX");
        assertThat(prepared("user")).isEqualTo("user");
        assertThat(prepared("USER")).isEqualTo("USER");
        assertThat(prepared("\u00AA")).isEqualTo("a");
        assertThat(prepared("\u2168")).isEqualTo("IX");
        assertThat(prepared("\u00E4\u00F6\u00FC")).isEqualTo(prepared("a\u0308o\u0308u\u0308"));
        assertThat(prepared("\uD800\uDF30 beyond U+FFFF")).isEqualTo("\uD800\uDF30 beyond U+FFFF");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "\u0007bell", "\u0627\u0031", "\uD800", "\u00AD", "\uD83D\uDE00 emoji"})
    void aPasswordWithWrongCharactersIsRefusedWithoutItsText(String password) {
        assertThatThrownBy(() -> prepared(password))
                .isInstanceOfSatisfying(
                        UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT))
                .hasMessageNotContaining("bell")
                .hasNoCause();
    }

    @Test
    void lengthsAreLimited() {
        assertThat(prepared("x".repeat(Limits.PASSWORD_CHARS_MAX))).hasSize(Limits.PASSWORD_CHARS_MAX);
        assertThatThrownBy(() -> prepared("x".repeat(Limits.PASSWORD_CHARS_MAX + 1)))
                .hasMessageContaining("257 characters");
        assertThatThrownBy(() -> Passwords.newCredential("ann", "1234567".toCharArray(), 4_096))
                .hasMessageContaining("use at least 8");
        assertThatThrownBy(() -> Passwords.newCredential("ann", "12345678".toCharArray(), 4_095))
                .hasMessageContaining("4095, use 4096 to");
    }

    @Test
    void eachCredentialHasItsOwnSalt() {
        UserCredential one = Passwords.newCredential("ann", "12345678".toCharArray(), 4_096);
        UserCredential other = Passwords.newCredential("ann", "12345678".toCharArray(), 4_096);
        assertThat(one.salt()).isNotEqualTo(other.salt());
        assertThat(one.storedKey()).isNotEqualTo(other.storedKey());
        byte[] salted =
                ScramSha256.saltedPassword("12345678".toCharArray(), one.salt().toArray(), 4_096);
        assertThat(ScramSha256.credential("ann", salted, one.salt().toArray(), 4_096))
                .isEqualTo(one);
    }

    @Test
    void theTextOfAUserHasNoPassword() {
        assertThat(new UserPassword("ann", "secret".toCharArray())).hasToString("user ann");
    }

    @Test
    void aFileHasThePasswordInItsFirstLine(@TempDir Path directory) throws IOException {
        Path file = directory.resolve("password");
        Files.writeString(file, "p\u00E4ss w\uD83D\uDE00\n");
        assertThat(Passwords.ofFile("key", file)).isEqualTo("p\u00E4ss w\uD83D\uDE00".toCharArray());
        Files.writeString(file, "pass\r\n");
        assertThat(Passwords.ofFile("key", file)).isEqualTo("pass".toCharArray());
        Files.writeString(file, "pass");
        assertThat(Passwords.ofFile("key", file)).isEqualTo("pass".toCharArray());
    }

    @Test
    void aWrongFileIsRefusedByName(@TempDir Path directory) throws IOException {
        Path file = directory.resolve("password");
        refused(file, "cannot be read");
        Files.writeString(file, "");
        refused(file, "must have the password as its only line");
        Files.writeString(file, "\nsecond");
        refused(file, "must have the password as its only line");
        Files.writeString(file, "x".repeat(1_000_000));
        refused(file, "must have the password as its only line");
        Files.write(file, "p\u00E4ss".getBytes(StandardCharsets.ISO_8859_1));
        refused(file, "is not UTF-8");
    }

    private static void refused(Path file, String text) {
        assertThatThrownBy(() -> Passwords.ofFile("uniserve.client.password-file", file))
                .isInstanceOfSatisfying(
                        UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_CONFIGURATION))
                .hasMessageContaining("uniserve.client.password-file")
                .hasMessageContaining(text);
    }
}
