import type { Command } from './command.ts';
import { type Io, UsageError } from './io.ts';

type Commands = Readonly<Record<string, Command>>;

/** The parts of one command that a shell completes. */
interface Completed {
  name: string;
  description: string;
  /** The first words after its name, such as `check`. */
  parts: readonly string[];
  options: readonly string[];
  /** The values of options that have a list of them. */
  values: ReadonlyMap<string, readonly string[]>;
}

const shells: Readonly<Record<string, (commands: readonly Completed[]) => string>> = {
  bash: formatBash,
  zsh: formatZsh,
  fish: formatFish,
};

/** `plaudit completion bash|zsh|fish`: prints a script that completes commands and options in a shell. */
export async function printCompletion(io: Io, shell: string | undefined, commands: Commands): Promise<void> {
  const format = shell !== undefined && Object.hasOwn(shells, shell) ? shells[shell] : undefined;
  if (format === undefined) throw new UsageError('completion needs the name of a shell: bash, zsh or fish');
  io.print(format(readCommands(commands)));
}

/** Reads what can be completed from the forms of the commands, as their help shows them. */
function readCommands(commands: Commands): Completed[] {
  return Object.entries(commands).map(([name, { description, forms, options }]) => {
    const values = forms.flatMap((form) =>
      [...form.matchAll(/--([\w-]+) ([a-z]+(?:\|[a-z]+)+)/g)].map(([, option = '', list = '']) => ({ option, list })),
    );
    return {
      name,
      description,
      parts: forms
        .flatMap((form) => (/^[a-z|]+(?= |$)/.exec(form)?.[0] ?? '').split('|'))
        .filter((part) => part !== ''),
      options: [...options, 'help'].map((option) => `--${option}`),
      values: new Map(values.map(({ option, list }) => [`--${option}`, list.split('|')])),
    };
  });
}

/** Falls back to names of files, which `-o default` completes where no word fits. */
function formatBash(commands: readonly Completed[]): string {
  const cases = commands.map(({ name, parts, options }) => {
    const words = options.join(' ');
    return parts.length === 0
      ? `    ${name}) words='${words}' ;;`
      : `    ${name}) words='${words}'; [ "$COMP_CWORD" -eq 2 ] && words="${parts.join(' ')} $words" ;;`;
  });
  const values = commands.flatMap((command) =>
    [...command.values].map(([option, list]) => `    ${command.name}:${option}) words='${list.join(' ')}' ;;`),
  );
  return `# Completes plaudit in bash: source <(plaudit completion bash)
_plaudit() {
  local word="\${COMP_WORDS[COMP_CWORD]}" command="\${COMP_WORDS[1]}" words=''
  [ "$COMP_CWORD" -eq 1 ] && command=''
  case "$command" in
    '') words='${commands.map(({ name }) => name).join(' ')} help --help --version' ;;
${cases.join('\n')}
  esac
  case "$command:\${COMP_WORDS[COMP_CWORD-1]}" in
${values.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _plaudit plaudit`;
}

function formatZsh(commands: readonly Completed[]): string {
  const named = commands.map(({ name, description }) => `    ${quote(`${name}:${description}`)}`);
  const cases = commands.map(({ name, parts, options, values }) => {
    const specifications = options.map((option) => {
      const list = values.get(option);
      return quote(list === undefined ? option : `${option}: :(${list.join(' ')})`);
    });
    const first = parts.length === 0 ? [] : [quote(`1: :(${parts.join(' ')})`)];
    return `    ${name}) _arguments ${[...first, ...specifications, quote('*:file:_files')].join(' ')} ;;`;
  });
  return `#compdef plaudit
# Completes plaudit in zsh: source <(plaudit completion zsh)
_plaudit() {
  local -a commands
  commands=(
${named.join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
${cases.join('\n')}
  esac
}
compdef _plaudit plaudit`;
}

function formatFish(commands: readonly Completed[]): string {
  const lines = commands.flatMap(({ name, description, parts, options, values }) => {
    const within = `complete -c plaudit -n ${quote(`__fish_seen_subcommand_from ${name}`)}`;
    return [
      `complete -c plaudit -n __fish_use_subcommand -f -a ${name} -d ${quote(description)}`,
      ...parts.map((part) => `${within} -a ${part}`),
      ...options.map((option) => {
        const list = values.get(option);
        return `${within} -l ${option.slice(2)}${list === undefined ? '' : ` -x -a ${quote(list.join(' '))}`}`;
      }),
    ];
  });
  return ['# Completes plaudit in fish: plaudit completion fish | source', ...lines].join('\n');
}

/** Quotes a text so that all three shells read it as it is: an apostrophe is replaced by its typographic form. */
function quote(text: string): string {
  return `'${text.replaceAll("'", '’')}'`;
}
