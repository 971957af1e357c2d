/** Commands that verify and show audit logs. */
@NullMarked
package io.uniserve.cli.audit;

import org.jspecify.annotations.NullMarked;
